-- Sets fields of a bot's state, if it is of the same registration.
-- KEYS  1 state
-- ARGV  1 registration id  2… field, value …
-- RESULT 1 when it was set, else 0
-- @include state
-- @read s <- KEYS[1]: registrationId
if s.registrationId ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
return 1
