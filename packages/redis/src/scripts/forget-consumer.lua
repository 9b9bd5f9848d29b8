-- Forgets a named consumer: its cursor, and what the log keeps for it alone.
-- KEYS  1 state  2 log  3 consumers
-- ARGV  1 registration id  2 now (ms)  3 name of the consumer
-- RESULT {'GONE'} | {'UNKNOWN'} | {'OK'}
-- @include trim
-- @read known <- KEYS[1]: registrationId
if known.registrationId ~= ARGV[1] then return { 'GONE' } end
if redis.call('HDEL', KEYS[3], ARGV[3]) == 0 then return { 'UNKNOWN' } end
trimLog(KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[2]))
return { 'OK' }
