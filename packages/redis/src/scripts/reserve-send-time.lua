-- Reserves the next time at which so many messages may be sent; first come, first served. All times are of the server's clock: with
-- different clocks, a caller would wait until the time of another.
-- KEYS  1 times reserved lately (list, newest first)  2 exists while the platform accepts nothing (may be absent)
-- ARGV  1 how many messages  2 least distance to the one before (ms)  3 most messages  4 … per time (ms)
--       5 a time reserved before ('' none): kept, unless the platform accepts nothing then
-- RESULT {the reserved time (ms), how long until then (ms)}
-- @include clock
local count, spacing, most, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now, reserved = serverNow(), tonumber(ARGV[5])
local quietMs = KEYS[2] and redis.call('PTTL', KEYS[2]) or 0
if reserved and (quietMs <= 0 or reserved >= now + quietMs) then return { reserved, math.max(0, reserved - now) } end
local at = now + math.max(0, quietMs)
local newest = redis.call('LINDEX', KEYS[1], 0)
if newest then at = math.max(at, tonumber(newest) + spacing) end
local limiting = redis.call('LINDEX', KEYS[1], most - math.min(count, most))
if limiting then at = math.max(at, tonumber(limiting) + window) end
for _ = 1, math.min(count, most) do redis.call('LPUSH', KEYS[1], at) end
redis.call('LTRIM', KEYS[1], 0, most - 1)
redis.call('PEXPIRE', KEYS[1], at - now + math.max(window, spacing))
return { at, at - now }
