-- Finds programs of a bot that are behind their limit, and those with new or due updates that have no pending turn.
-- @keys state, log, consumers, pendingTurns
-- @args registrationId: text, botId: digits
--   programPrefix: text  of the keys of programs
--   limit: number, limitMs: number  how many updates may wait, and for how long
--   tightLimit: number?  with so many waiting, a program stops the intake of its bot; absent unless memory is tight
--   tightForMs: number  for so long it may
-- @reply
--   GONE
--   OK newestId: number
--     wakePrograms: number[]
--     behind: behind[]  those behind their limit
-- @row behind programId: number, limit: updates|time|memory
-- @include state
-- @include programs
-- @include clock
-- @read s <- state: registrationId, on, lastId, allowedCount, wokenPrograms
if s.registrationId ~= registrationId then return { 'GONE' } end
local now = serverNow()
local last, count, woken = tonumber(s.lastId), tonumber(s.allowedCount), ',' .. (s.wokenPrograms or '') .. ','
local toWake, behind = {}, {}

-- While memory is tight, a program this far behind stops the intake of its bot. One that was parked and has taken
-- nothing since is parked again without delay; otherwise it would stop the intake repeatedly.
local function stopsIntake(waits, forMs, parkedAt)
  if not tightLimit then return false end
  if parkedAt then return waits >= tightLimit / 4 end
  return waits >= tightLimit and forMs > tightForMs
end

local named = redis.call('HGETALL', consumers)
for i = 1, #named, 2 do
  local cursor, polledAt = consumerOf(named[i + 1])
  if isProgram(named[i]) and polledAt ~= '0' then
    local id = string.sub(named[i], 9)
    local keys = programKeys(programPrefix, id)
    local program = keys.state
    -- @read p <- program: push, pushCursor, pushCursorCount, pushPending, parkedAt
    -- One that pulls has taken something since, if it has polled.
    local parkedAt = p.parkedAt and (p.push == '1' or tonumber(p.parkedAt) >= tonumber(polledAt)) and p.parkedAt
    local found = redis.call('XRANGE', log, '(' .. cursor, '+', 'COUNT', 1)[1]
    local first = found and fieldsOf(found)
    local waits = first and countAfter(log, cursor, count) or 0
    -- One old update in a lane keeps all that follows in the log, but only what was not delivered counts.
    if p.push == '1' then waits = count - tonumber(p.pushCursorCount) + tonumber(p.pushPending) end
    local sinceMs = first and first.at or now
    if p.push ~= '1' then sinceMs = math.min(sinceMs, tonumber(polledAt)) end
    local reached = nil
    if waits > limit then
      reached = 'updates'
    elseif now - sinceMs > limitMs then
      reached = 'time'
    elseif stopsIntake(waits, now - sinceMs, parkedAt) then
      reached = 'memory'
    end
    if reached then behind[#behind + 1] = { fields.behind { programId = id, limit = reached } } end
    -- It was not woken for updates that only others get. A lane is due here if the wake after a change of its backend was
    -- lost.
    local member = botId .. ':' .. named[i]
    local isBehind = p.push == '1'
      and (tonumber(p.pushCursor) < last or redis.call('ZCOUNT', keys.lanes, '-inf', now) > 0)
    if
      s.on == '1'
      and isBehind
      and string.find(woken, ',' .. id .. ',', 1, true)
      and not redis.call('ZSCORE', pendingTurns, member)
    then
      redis.call('ZADD', pendingTurns, now, member)
      toWake[#toWake + 1] = id
    end
  end
end
return reply.OK { newestId = last, wakePrograms = toWake, behind = behind }
