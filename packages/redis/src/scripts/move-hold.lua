-- Lets a hold follow a group that became a supergroup, with what its bot missed. The group only leads on, so the hold follows once,
-- however often the move is told: one that was released does not return.
-- @keys state, holds, missed, heldChats
-- @args registrationId: text, botId: digits, fromChatId: digits, toChatId: digits
-- @reply
--   GONE
--   FREE  nothing is held
--   OK
-- @include hold
-- @include clock
-- @read s <- state: registrationId
if s.registrationId ~= registrationId then return { 'GONE' } end
local hold = holdOf(redis.call('HGET', holds, fromChatId))
if not hold then return { 'FREE' } end
local now = serverNow()
local there = holdOf(redis.call('HGET', holds, toChatId))
if not there or there.expires < hold.expires then storeHold(holds, toChatId, hold) end
local from, to = missedRange(fromChatId)
for _, member in ipairs(redis.call('ZRANGEBYLEX', missed, from, to)) do
  redis.call('ZADD', missed, 0, toChatId .. string.sub(member, #fromChatId + 1))
end
redis.call('HSET', holds, fromChatId, '>' .. toChatId)
forgetMissed(missed, fromChatId)
listHeld(heldChats, botId, fromChatId, now)
if hold.expires > now then
  listHeld(heldChats, botId, toChatId, now, math.max(hold.expires, there and there.expires or 0))
end
noteHolds(state, holds, missed, now, hold.expires)
return { 'OK' }
