-- Takes a bot's rules mark away, unless there is more to do; then the caller wakes another turn.
-- KEYS  1 dirty  2 state  3 log  4 consumers  5 lanes of rules
-- ARGV  1 bot id  2 now (ms)
-- RESULT 1 when something can be looked at or routed, else 0
-- @include trim
local s = redis.call('HMGET', KEYS[2], 'looked', 'rules', 'on')
if s[1] and s[2] == '1' and s[3] == '1' then
  local due = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', ARGV[2], 'LIMIT', 0, 1)
  if #due > 0 or #redis.call('XRANGE', KEYS[3], '(' .. s[1], '+', 'COUNT', 1) > 0 then return 1 end
end
redis.call('ZREM', KEYS[1], ARGV[1] .. ':rules')
if s[1] then trimLog(KEYS[2], KEYS[3], KEYS[4], tonumber(ARGV[2])) end
return 0
