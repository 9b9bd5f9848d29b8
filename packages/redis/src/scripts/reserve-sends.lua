-- Reserves times for sends of one bot, in the order of the list, as far as they may go out soon. What cannot go out so soon reserves
-- nothing: another send may have its time.
-- @keys bot, outboxWaits  when the bot sends (list, newest first); exists while something waits for a time of the bot
-- @args chatPrefix: text  of the keys of chats, before the id
--   horizonMs: number, bulkHorizonMs: number  how soon; for bulk less, so that what is more urgent need not wait for it
--   spacingMs: number, most: number, windowMs: number  of the bot: least distance, most messages in that time
--   bulkMost: number  the same for bulk, which leaves the rest to the others
--   chatSpacingMs: number, groupMost: number, groupWindowMs: number
--   waitsMs: number  for how long that is known
--   kept: number, keptOfChat: number  times that are kept, for others who allow more in that time
--   ...sends chatId: digits, messages: number, bulk: flag
-- @reply
--   OK rows: granted[]  one for each send, until one has no time of the bot
-- @row granted limit: none|chat|bot, waitMs: number
-- @include clock
-- @include pace
local now = serverNow()
local live = { spacingMs = spacingMs, most = most, windowMs = windowMs, horizonMs = horizonMs }
local ofBulk = { spacingMs = windowMs / bulkMost, most = bulkMost, windowMs = windowMs, horizonMs = bulkHorizonMs }
local rows = {}

-- When the limits of the chat allow a send.
local function timeOfChat(times, chatId, messages)
  local isGroup = string.sub(chatId, 1, 1) == '-'
  local limits = { spacingMs = chatSpacingMs, most = groupMost, windowMs = isGroup and groupWindowMs or 0 }
  return earliestTime(times, now, messages, limits)
end

for i in each(sends) do
  local chatId, messages, limits = sends.chatId[i], sends.messages[i], live
  if sends.bulk[i] then limits = ofBulk end
  local chat = chatPrefix .. chatId
  local ofChat = timeOfChat(chat, chatId, messages)
  local at = earliestTime(bot, now, messages, limits)
  if ofChat > at then
    rows[#rows + 1] = { fields.granted { limit = 'chat', waitMs = math.ceil(ofChat - now) } }
  elseif at > now + limits.horizonMs then
    rows[#rows + 1] = { fields.granted { limit = 'bot', waitMs = math.ceil(at - now) } }
    redis.call('SET', outboxWaits, 1, 'PX', waitsMs)
    break
  else
    noteTimes(bot, at, messages, kept, at - now + windowMs)
    noteTimes(chat, at, messages, keptOfChat, at - now + math.max(groupWindowMs, chatSpacingMs))
    rows[#rows + 1] = { fields.granted { limit = 'none', waitMs = math.ceil(at - now) } }
  end
end
return reply.OK { rows = rows }
