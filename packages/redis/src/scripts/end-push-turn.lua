-- Takes a bot's push mark away, unless there is more to do; then the caller wakes another turn.
-- KEYS  1 dirty  2 state  3 log  4 consumers  5 lanes
-- ARGV  1 bot id  2 now (ms)
-- RESULT 1 when something is readable, else 0
-- @include trim
local now = tonumber(ARGV[2])
local s = redis.call('HMGET', KEYS[2], 'filed', 'push', 'on', 'closedUntil')
local readable = false
if s[1] and s[2] == '1' and s[3] == '1' and tonumber(s[4] or 0) <= now then
  local due = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now, 'LIMIT', 0, 1)
  readable = #due > 0 or #redis.call('XRANGE', KEYS[3], '(' .. s[1], '+', 'COUNT', 1) > 0
end
if readable then return 1 end
redis.call('ZREM', KEYS[1], ARGV[1] .. ':push')
if s[1] then trimLog(KEYS[2], KEYS[3], KEYS[4], now) end
return 0
