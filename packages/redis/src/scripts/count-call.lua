-- Counts a call against a rate, unless it is over the rate.
-- @keys ofSecond, ofMinute  the calls of this second, and of this minute
-- @args perSecond: number?, perMinute: number?  at most; absent: any
--   nowMs: number
-- @reply number  0 when it was counted, else how many seconds to wait
local function isOver(key, most)
  return most and tonumber(redis.call('GET', key) or 0) >= most
end
if isOver(ofMinute, perMinute) then return math.ceil((60000 - nowMs % 60000) / 1000) end
if isOver(ofSecond, perSecond) then return 1 end
local function add(key, lifeMs)
  redis.call('INCR', key)
  redis.call('PEXPIRE', key, lifeMs)
end
add(ofSecond, 1000)
add(ofMinute, 60000)
return 0
