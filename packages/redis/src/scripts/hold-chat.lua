-- Holds a conversation: from now on its updates are for people, until the time is over. Held again, its time begins anew. What a hold that
-- ended by itself has kept is kept on.
-- @keys state, holds, missed, heldChats
-- @args registrationId: text, botId: digits
--   conversation: text  '<chat>', or '<chat>:<business connection>'
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
local hold = holdOf(redis.call('HGET', holds, conversation))
local isFree = hold == nil or hold.expires <= now
if isFree and not forMs then return { 'FREE' } end
-- A rule, or the owner of the business account, changes nothing of what a person holds.
local isOfPerson = not isFree and string.find(hold.by, '^account:')
if isOfPerson and forMs and not string.find(by, '^account:') then
  return reply.OK { began = false, forMs = hold.expires - now }
end
if isFree then
  local isKept = hold and isKeptEnded(missed, conversation, hold, now)
  if not isKept then forgetMissed(missed, conversation) end
  hold = { since = now, by = '' }
end
local length = forMs or hold.forMs
local ends = forMs and now + length or math.max(hold.expires, now + length)
storeHold(holds, conversation, {
  expires = ends,
  forMs = length,
  since = hold.since,
  by = by == '' and hold.by or by,
})
noteHolds(state, holds, missed, now, ends)
listHeld(heldChats, botId, conversation, now, ends)
return reply.OK { began = isFree, forMs = ends - now }
