-- Forgets a named consumer: its cursor, and what the log keeps for it alone.
-- @keys state, log, consumers
-- @args registrationId: text, consumer: text
-- @reply
--   GONE, UNKNOWN, OK
-- @include trim
-- @include clock
-- @read known <- state: registrationId
if known.registrationId ~= registrationId then return { 'GONE' } end
if removeConsumer(state, consumers, consumer) == 0 then return { 'UNKNOWN' } end
trimLog(state, log, consumers, serverNow())
return { 'OK' }
