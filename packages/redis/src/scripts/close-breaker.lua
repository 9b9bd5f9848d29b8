-- Closes a bot's breaker, because another bot has just reached the same backend.
-- @keys state, lanes
-- @args registrationId: text, botId: digits
-- @reply flag  it was open: wake its push
-- @include state
-- @include lanes
-- @include live
-- @include clock
-- @read s <- state: registrationId, openUntil
if s.registrationId ~= registrationId or not s.openUntil then return 0 end
closeBreaker(state)
announceState(botId)
allDueNow(lanes, serverNow())
return 1
