-- Closes a bot's breaker, because another bot has just reached the same backend.
-- KEYS  1 state  2 lanes
-- ARGV  1 registration id  2 now (ms)  3 bot id
-- RESULT 1 when it was open: wake its push; else 0
-- @include state
-- @include lanes
-- @include live
-- @read s <- KEYS[1]: registrationId, openUntil
if s.registrationId ~= ARGV[1] or not s.openUntil then return 0 end
closeBreaker(KEYS[1])
announceState(ARGV[3])
allDueNow(KEYS[2], tonumber(ARGV[2]))
return 1
