-- Reserves the next time at which so many messages may be sent; first come, first served. All times are of the server's clock: with
-- different clocks, a caller would wait until the time of another.
-- @keys times  reserved lately (list, newest first)
-- @args count: number  how many messages
--   spacingMs: number  least distance to the one before
--   most: number, windowMs: number  most messages in that time
--   kept: number  times that are kept, for others who allow more in that time
--   reservedMs: number?  a time reserved before, which is kept
-- @reply
--   OK atMs: number, waitMs: number  the reserved time, how long until then
-- @include clock
-- @include pace
local now = serverNow()
if reservedMs then return reply.OK { atMs = reservedMs, waitMs = math.max(0, reservedMs - now) } end
local limits = { spacingMs = spacingMs, most = most, windowMs = windowMs }
local at = earliestTime(times, now, count, limits)
noteTimes(times, at, math.min(count, most), kept, at - now + math.max(windowMs, spacingMs))
return reply.OK { atMs = at, waitMs = at - now }
