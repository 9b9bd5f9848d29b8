-- Reserves the next time at which so many messages may be sent; first come, first served. All times are of the server's clock: with
-- different clocks, a caller would wait until the time of another.
-- @keys times  reserved lately (list, newest first)
--   quiet?  exists while the platform accepts nothing
-- @args count: number  how many messages
--   spacingMs: number  least distance to the one before
--   most: number, windowMs: number  most messages in that time
--   reservedMs: number?  a time reserved before: kept, unless the platform accepts nothing then
-- @reply
--   OK atMs: number, waitMs: number  the reserved time, how long until then
-- @include clock
local now = serverNow()
local quietMs = quiet and redis.call('PTTL', quiet) or 0
if reservedMs and (quietMs <= 0 or reservedMs >= now + quietMs) then
  return reply.OK { atMs = reservedMs, waitMs = math.max(0, reservedMs - now) }
end
local at = now + math.max(0, quietMs)
local newest = redis.call('LINDEX', times, 0)
if newest then at = math.max(at, tonumber(newest) + spacingMs) end
local limiting = redis.call('LINDEX', times, most - math.min(count, most))
if limiting then at = math.max(at, tonumber(limiting) + windowMs) end
for _ = 1, math.min(count, most) do
  redis.call('LPUSH', times, at)
end
redis.call('LTRIM', times, 0, most - 1)
redis.call('PEXPIRE', times, at - now + math.max(windowMs, spacingMs))
return reply.OK { atMs = at, waitMs = at - now }
