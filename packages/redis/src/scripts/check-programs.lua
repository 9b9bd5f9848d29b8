-- Finds programs of a bot that are behind their limit, and those with something new that no turn is owed for.
-- KEYS  1 state  2 log  3 consumers  4 pending turns
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 key prefix of programs  5 how many updates may wait  6 for how long (ms)
-- RESULT {'GONE'} | {'OK', newest id, {ids of programs to wake}, {id, 'updates' | 'time', …}: those behind their limit}
-- @include state
-- @include programs
local log, now = KEYS[2], tonumber(ARGV[2])
-- @read s <- KEYS[1]: registrationId, on, lastId, allowedCount, programs
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
local last, count, awake = tonumber(s.lastId), tonumber(s.allowedCount), ',' .. (s.programs or '') .. ','
local owed, behind = {}, {}
local named = redis.call('HGETALL', KEYS[3])
for i = 1, #named, 2 do
  local cursor, polledAt = string.match(named[i + 1], '^(%d+) (%d+)$')
  if isProgram(named[i]) and polledAt ~= '0' then
    local id = string.sub(named[i], 9)
    local program = programKeys(ARGV[4], id).state
    -- @read p <- program: push, pushCursor, pushCursorCount, pushPending
    local found = redis.call('XRANGE', log, '(' .. cursor, '+', 'COUNT', 1)[1]
    local first = found and fieldsOf(found)
    local waits = first and countAfter(log, cursor, count) or 0
    -- One old update in a lane holds the log, but only what it has not got counts.
    if p.push == '1' then waits = count - tonumber(p.pushCursorCount) + tonumber(p.pushPending) end
    local sinceMs = first and first.at or now
    if p.push ~= '1' then sinceMs = math.min(sinceMs, tonumber(polledAt)) end
    if waits > tonumber(ARGV[5]) then
      behind[#behind + 1], behind[#behind + 2] = id, 'updates'
    elseif now - sinceMs > tonumber(ARGV[6]) then
      behind[#behind + 1], behind[#behind + 2] = id, 'time'
    end
    -- A process of an earlier release appends without a wake.
    local member = ARGV[3] .. ':' .. named[i]
    if s.on == '1' and p.push == '1' and tonumber(p.pushCursor) < last and string.find(awake, ',' .. id .. ',', 1, true)
      and not redis.call('ZSCORE', KEYS[4], member) then
      redis.call('ZADD', KEYS[4], now, member)
      owed[#owed + 1] = id
    end
  end
end
return { 'OK', last, owed, behind }
