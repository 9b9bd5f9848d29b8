-- Notes what a bot sent without a reserved time, so that those who reserve times wait for it.
-- @keys bot  when the bot sends (list, newest first)
-- @args chatPrefix: text  of the keys of chats, before the id
--   windowMs: number, chatWindowMs: number  for how long it matters
--   kept: number, keptOfChat: number  times that are kept
--   ...sends chatId: digits, messages: number, ofBot: number  how many of the messages are not yet among those of the bot
-- @reply flag
-- @include clock
-- @include pace
local now = serverNow()

local function note(times, messages, keep, livesMs)
  local at = math.max(now, tonumber(redis.call('LINDEX', times, 0) or 0))
  noteTimes(times, at, messages, keep, at - now + livesMs)
end

for i in each(sends) do
  local messages = sends.messages[i]
  if sends.ofBot[i] > 0 then note(bot, sends.ofBot[i], kept, windowMs) end
  note(chatPrefix .. sends.chatId[i], messages, keptOfChat, chatWindowMs)
end
return 1
