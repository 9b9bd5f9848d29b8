-- Finds programs of a bot that are behind their limit, and those with new or due updates that have no pending turn.
-- KEYS  1 state  2 log  3 consumers  4 pending turns
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 key prefix of programs  5 how many updates may wait  6 for how long (ms)
--       7 with so many waiting, a program stops the intake of its bot ('' unless memory is tight)  8 for so long (ms) it may
-- RESULT {'GONE'}
--      | {'OK', newest id, {ids of programs to wake}, {id, 'updates' | 'time' | 'memory', …}: those behind their limit}
-- @include state
-- @include programs
local log, now = KEYS[2], tonumber(ARGV[2])
-- @read s <- KEYS[1]: registrationId, on, lastId, allowedCount, programs
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
local last, count, enabled = tonumber(s.lastId), tonumber(s.allowedCount), ',' .. (s.programs or '') .. ','
local toWake, behind = {}, {}
local tightLimit, tightForMs = tonumber(ARGV[7]), tonumber(ARGV[8])

-- While memory is tight, a program this far behind stops the intake of its bot. One that was parked and has taken
-- nothing since is parked again without delay; otherwise it would stop the intake repeatedly.
local function stopsIntake(waits, forMs, parkedAt)
  if not tightLimit then return false end
  if parkedAt then return waits >= tightLimit / 4 end
  return waits >= tightLimit and forMs > tightForMs
end

local named = redis.call('HGETALL', KEYS[3])
for i = 1, #named, 2 do
  local cursor, polledAt = consumerOf(named[i + 1])
  if isProgram(named[i]) and polledAt ~= '0' then
    local id = string.sub(named[i], 9)
    local keys = programKeys(ARGV[4], id)
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
    if waits > tonumber(ARGV[5]) then
      behind[#behind + 1], behind[#behind + 2] = id, 'updates'
    elseif now - sinceMs > tonumber(ARGV[6]) then
      behind[#behind + 1], behind[#behind + 2] = id, 'time'
    elseif stopsIntake(waits, now - sinceMs, parkedAt) then
      behind[#behind + 1], behind[#behind + 2] = id, 'memory'
    end
    -- It was not woken for updates that only others get. A lane is due here if the wake after a change of its backend was
    -- lost.
    local member = ARGV[3] .. ':' .. named[i]
    local isBehind = p.push == '1' and (tonumber(p.pushCursor) < last or redis.call('ZCOUNT', keys.lanes, '-inf', now) > 0)
    if s.on == '1' and isBehind and string.find(enabled, ',' .. id .. ',', 1, true) and not redis.call('ZSCORE', KEYS[4], member) then
      redis.call('ZADD', KEYS[4], now, member)
      toWake[#toWake + 1] = id
    end
  end
end
return { 'OK', last, toWake, behind }
