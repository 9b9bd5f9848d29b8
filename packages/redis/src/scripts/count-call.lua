-- Counts a call against a rate, unless it is over the rate.
-- @keys ofSecond, ofMinute  the calls of the second, and of the minute, that began with the first of them
-- @args perSecond: number?, perMinute: number?  at most; absent: any
-- @reply number  0 when it was counted, else how many seconds to wait
local function isOver(key, most)
  return most and tonumber(redis.call('GET', key) or 0) >= most
end
local function secondsLeft(key)
  return math.max(1, math.ceil(redis.call('PTTL', key) / 1000))
end
if isOver(ofMinute, perMinute) then return secondsLeft(ofMinute) end
if isOver(ofSecond, perSecond) then return secondsLeft(ofSecond) end
local function add(key, lifeMs)
  if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, lifeMs) end
end
add(ofSecond, 1000)
add(ofMinute, 60000)
return 0
