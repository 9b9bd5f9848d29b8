-- Holds a chat: from now on its updates are for people, until the time is over. Held again, its time begins anew.
-- @keys state, holds, missed
-- @args registrationId: text, chatId: digits
--   forMs: number?  for how long; absent: renews a hold, for as long as it was made for
--   by: text  who holds it; '' keeps it
-- @reply
--   GONE, OFF
--   FREE  it is not held, so there is nothing to renew
--   OK began: flag  it was not held before
--     forMs: number  for how long, from now
-- @include hold
-- @include clock
-- @read s <- state: registrationId, on
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' then return { 'OFF' } end
local now = serverNow()
local hold = holdOf(redis.call('HGET', holds, chatId))
local began = hold == nil or hold.expires <= now
if began and not forMs then return { 'FREE' } end
if began then
  forgetMissed(missed, chatId)
  hold = { since = now, by = '' }
end
local length = forMs or hold.forMs
local ends = forMs and now + length or math.max(hold.expires, now + length)
local owner = by == '' and hold.by or by
redis.call('HSET', holds, chatId, table.concat({ textOf(ends), textOf(length), textOf(hold.since), owner }, ' '))
noteHolds(state, holds, missed, now, ends)
return reply.OK { began = began, forMs = ends - now }
