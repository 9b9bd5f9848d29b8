-- Notes up to which update id Postgres has reserved them for a bot.
-- KEYS  1 state
-- ARGV  1 registration id  2 the reserved id
-- RESULT 1 when it was noted, else 0
-- @include ids
local s = redis.call('HMGET', KEYS[1], 'gen', 'run', 'reserved')
if s[1] ~= ARGV[1] then return 0 end
-- A state of an earlier run may be older than what was reserved: noted here, nobody would see that its ids are behind.
if s[2] ~= runId() then return 0 end
if tonumber(s[3] or 0) < tonumber(ARGV[2]) then redis.call('HSET', KEYS[1], 'reserved', ARGV[2]) end
return 1
