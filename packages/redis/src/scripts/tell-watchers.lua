-- Tells whoever watches a bot what happened to it, beside updates, calls and attempts.
-- @keys state, live
-- @args registrationId: text, botId: digits
--   kind: text  of the event
--   event: text  JSON, as watchers get it
-- @reply flag  somebody watches the bot
-- @include state
-- @include live
-- @include clock
-- @read s <- state: registrationId, watchedUntil
if s.registrationId ~= registrationId or tonumber(s.watchedUntil or 0) <= serverNow() then return 0 end
addLive(live, #event, 't', kind, 'e', event)
announceLive(botId)
return 1
