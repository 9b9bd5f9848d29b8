-- Reserves the next time at which so many messages may be sent; first come, first served.
-- KEYS  1 times reserved lately (list, newest first)  2 until when the platform accepts nothing (ms)
-- ARGV  1 now (ms)  2 how many messages  3 least distance to the one before (ms)  4 most messages  5 … per time (ms)
--       6 a time reserved before ('' none): kept, unless the platform accepts nothing then
-- RESULT the reserved time (ms)
local now, count, spacing, most, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local blocked = tonumber(redis.call('GET', KEYS[2]) or 0)
local reserved = tonumber(ARGV[6])
if reserved and reserved >= blocked then return reserved end
local at = math.max(now, blocked)
local newest = redis.call('LINDEX', KEYS[1], 0)
if newest then at = math.max(at, tonumber(newest) + spacing) end
local limiting = redis.call('LINDEX', KEYS[1], most - math.min(count, most))
if limiting then at = math.max(at, tonumber(limiting) + window) end
for _ = 1, math.min(count, most) do redis.call('LPUSH', KEYS[1], at) end
redis.call('LTRIM', KEYS[1], 0, most - 1)
redis.call('PEXPIRE', KEYS[1], at - now + math.max(window, spacing))
return at
