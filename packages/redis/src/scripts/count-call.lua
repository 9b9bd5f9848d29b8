-- Counts a call against a rate, unless it is over the rate.
-- @keys ofSecond, ofMinute  the calls of the second, and of the minute, that began with the first of them
-- @args perSecond: number?, perMinute: number?  at most; absent: any
-- @reply
--   COUNTED ofSecond: number, ofMinute: number, minuteLeftS: number
--   OVER ofSecond: number, ofMinute: number, minuteLeftS: number, retryAfterS: number
local function secondsLeft(key)
  return math.max(1, math.ceil(redis.call('PTTL', key) / 1000))
end
local function counted(key)
  return tonumber(redis.call('GET', key) or 0)
end
local inSecond, inMinute = counted(ofSecond), counted(ofMinute)
local function over(key)
  return reply.OVER {
    ofSecond = inSecond,
    ofMinute = inMinute,
    minuteLeftS = secondsLeft(ofMinute),
    retryAfterS = secondsLeft(key),
  }
end
if perMinute and inMinute >= perMinute then return over(ofMinute) end
if perSecond and inSecond >= perSecond then return over(ofSecond) end
local function add(key, lifeMs)
  local calls = redis.call('INCR', key)
  if calls == 1 then redis.call('PEXPIRE', key, lifeMs) end
  return calls
end
return reply.COUNTED {
  ofSecond = add(ofSecond, 1000),
  ofMinute = add(ofMinute, 60000),
  minuteLeftS = secondsLeft(ofMinute),
}
