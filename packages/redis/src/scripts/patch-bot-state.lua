-- Sets fields of a bot's state, if it is of the same registration.
-- @keys state
-- @args registrationId: text
--   ...changes field: text, value: scalar
-- @reply flag  it was set
-- @include state
-- @read s <- state: registrationId
if s.registrationId ~= registrationId then return 0 end
redis.call('HSET', state, unpack(ARGV, span(changes)))
return 1
