-- Keeps what the router decided for a message of a bot, and the bot that it chose for the chat.
-- @keys state, decisions, live
--   choice  of the chat
-- @args registrationId: text, botId: digits
--   decision: text  JSON
--   kept: number, keptMs: number  how many decisions, and how long after the last one
--   event: text  JSON, as watchers get it
--   chosen: text?  JSON of the choice that holds from now on
--   holdsMs: number
-- @reply flag  the bot is set up
-- @include state
-- @include live
-- @include clock
-- @read s <- state: registrationId, watchedUntil
if s.registrationId ~= registrationId then return 0 end
redis.call('LPUSH', decisions, decision)
redis.call('LTRIM', decisions, 0, kept - 1)
redis.call('PEXPIRE', decisions, keptMs)
if chosen ~= '' then redis.call('SET', choice, chosen, 'PX', holdsMs) end
if tonumber(s.watchedUntil or 0) > serverNow() then
  addLive(live, #event, 't', 'route', 'e', event)
  announceLive(botId)
end
return 1
