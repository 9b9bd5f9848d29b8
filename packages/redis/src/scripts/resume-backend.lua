-- Resumes a bot's pushes to a closed backend, because another bot has just got through to the same one.
-- KEYS  1 state  2 lanes
-- ARGV  1 registration id  2 now (ms)
-- RESULT 1 when it was closed: wake its push; else 0
-- @include lanes
local s = redis.call('HMGET', KEYS[1], 'gen', 'closedUntil')
if s[1] ~= ARGV[1] or not s[2] then return 0 end
redis.call('HDEL', KEYS[1], 'failSince', 'probeMs', 'closedUntil')
allDueNow(KEYS[2], tonumber(ARGV[2]))
return 1
