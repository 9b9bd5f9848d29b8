-- Reserves a time of the bot for a message of a program, unless there is none soon. Programs have no order of importance, and may send
-- more than the outbox: while that waits, they send no more than it may, so that both get times.
-- @keys bot, outboxWaits  when the bot sends (list, newest first); exists while the outbox waits for a time
-- @args most: number, windowMs: number  most messages in that time
--   mostOfOutbox: number  the same for the outbox
--   horizonMs: number  how soon
--   kept: number  times that are kept, for others who allow more in that time
-- @reply
--   OK reserved: flag, waitMs: number  how long until then, or until there may be one soon
-- @include clock
-- @include pace
local now = serverNow()
local allowed = redis.call('EXISTS', outboxWaits) == 1 and math.min(most, mostOfOutbox) or most
local at = earliestTime(bot, now, 1, { spacingMs = windowMs / allowed, most = allowed, windowMs = windowMs })
if at > now + horizonMs then return reply.OK { reserved = false, waitMs = at - now - horizonMs } end
noteTimes(bot, at, 1, kept, at - now + windowMs)
return reply.OK { reserved = true, waitMs = at - now }
