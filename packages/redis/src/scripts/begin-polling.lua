-- Makes the caller the owner of a bot's polling: every older fencing token is refused from now on.
-- KEYS  1 state
-- ARGV  1 registration id  2 now (ms)
-- RESULT {'GONE'} | {'OFF'}
--      | {'OK', fencing token, next offset to ask the platform for, last success of that (ms),
--         updates that wait for the quickest reader, and for the slowest, since when the platform refuses it (ms, 0: not)}
-- @include waiting
local s = redis.call('HMGET', KEYS[1], 'gen', 'on', 'pollOffset', 'pollOkAt', 'refusedAt')
if not s[1] or s[1] ~= ARGV[1] then return { 'GONE' } end
if s[2] ~= '1' then return { 'OFF' } end
local quickest, slowest = waitingOf(redis.call('HMGET', KEYS[1], 'n', 'pull', 'push', 'parked', 'ackedN', 'filedN', 'pend',
  'rules', 'unlooked', 'routing'), tonumber(ARGV[2]))
return { 'OK', redis.call('HINCRBY', KEYS[1], 'e:polling', 1), tonumber(s[3]), tonumber(s[4] or 0), quickest, slowest,
  tonumber(s[5] or 0) }
