-- Makes the caller the owner of a bot's turns of one kind: every older epoch is refused from now on.
-- KEYS  1 state  2 lanes  3 flight (of that kind of turns)
-- ARGV  1 generation  2 kind ('polling', 'push' or 'rules')
-- RESULT {'GONE'} | {'OFF'}
--      | {'OK', epoch, next offset to ask the platform for, last success of that (ms),
--         of a polling turn: updates that wait for the quickest reader, and for the slowest}
-- @include lanes
-- @include waiting
local s = redis.call('HMGET', KEYS[1], 'gen', 'on', 'pollOffset', ARGV[2], 'pollOkAt')
if not s[1] or s[1] ~= ARGV[1] then return { 'GONE' } end
if s[2] ~= '1' or (ARGV[2] ~= 'polling' and s[4] ~= '1') then return { 'OFF' } end
local epoch = redis.call('HINCRBY', KEYS[1], 'e:' .. ARGV[2], 1)
if ARGV[2] ~= 'polling' then
  restoreFlights(KEYS[2], KEYS[3])
  return { 'OK', epoch, tonumber(s[3]), tonumber(s[5] or 0), 0, 0 }
end
local quickest, slowest = waitingOf(redis.call('HMGET', KEYS[1], 'n', 'pull', 'push', 'parked', 'ackedN', 'filedN', 'pend',
  'rules', 'unlooked', 'routing'), tonumber(redis.call('TIME')[1]) * 1000)
return { 'OK', epoch, tonumber(s[3]), tonumber(s[5] or 0), quickest, slowest }
