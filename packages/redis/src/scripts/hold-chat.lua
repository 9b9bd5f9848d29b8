-- Holds a chat: from now on its updates are for people, until the time is over. Held again, its time begins anew. What a hold that
-- ended by itself has kept is kept on.
-- @keys state, holds, missed, heldChats
-- @args registrationId: text, botId: digits, chatId: digits
--   forMs: number?  for how long; absent: renews a hold, for as long as it was made for
--   by: text  who holds it; '' keeps it
--   connection: text  the business connection that is held alone; '' for the whole chat. That of a hold of the whole chat is ignored
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
local isFree = hold == nil or hold.expires <= now
if isFree and not forMs then return { 'FREE' } end
if forMs and connection ~= '' and not isFree and hold.connection == '' then
  return reply.OK { began = false, forMs = hold.expires - now }
end
local began = isFree or (connection ~= '' and connection ~= hold.connection)
if began then
  local isKept = hold and hold.connection == connection and isKeptEnded(missed, chatId, hold, now)
  if not isKept then forgetMissed(missed, chatId) end
  hold = { since = now, by = '', connection = connection }
end
local length = forMs or hold.forMs
local ends = forMs and now + length or math.max(hold.expires, now + length)
storeHold(holds, chatId, {
  expires = ends,
  forMs = length,
  since = hold.since,
  connection = forMs and connection or hold.connection,
  by = by == '' and hold.by or by,
})
noteHolds(state, holds, missed, now, ends)
listHeld(heldChats, botId, chatId, now, ends)
return reply.OK { began = began, forMs = ends - now }
