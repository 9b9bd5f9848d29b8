-- Remembers that the platform takes no more of some calls for a while, and tells every process. An older wait that ends later stays.
-- @keys floods, noted, numbers
-- @args name: text  which calls
--   forMs: number
--   most: number  how many floods are kept; those that end first go
-- @reply number  the number of this 429: it rises
-- @include clock
local now = serverNow()
local function forget(names)
  for _, one in ipairs(names) do
    redis.call('ZREM', floods, one)
    redis.call('HDEL', noted, one)
  end
end
forget(redis.call('ZRANGEBYSCORE', floods, '-inf', now, 'LIMIT', 0, 100))
local known = redis.call('ZSCORE', floods, name)
local untilMs = math.max(now + forMs, tonumber(known or 0))
local number = redis.call('INCR', numbers)
local beganMs = known and string.match(redis.call('HGET', noted, name) or '', ' (%d+)$') or string.format('%.0f', now)
redis.call('ZADD', floods, untilMs, name)
redis.call('HSET', noted, name, number .. ' ' .. beganMs)
local excess = redis.call('ZCARD', floods) - most
if excess > 0 then forget(redis.call('ZRANGE', floods, 0, excess - 1)) end
local last = redis.call('ZRANGE', floods, -1, -1, 'WITHSCORES')[2]
for _, key in ipairs({ floods, noted }) do
  redis.call('PEXPIREAT', key, last)
end
local durations = string.format('%.0f %.0f', untilMs - now, now - beganMs)
redis.call('PUBLISH', '@channels.floods', number .. ' ' .. durations .. ' ' .. name)
return number
