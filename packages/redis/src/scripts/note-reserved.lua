-- Stores the highest update id that Postgres has reserved for a bot.
-- KEYS  1 state
-- ARGV  1 registration id  2 the reserved id
-- RESULT 1 when it was stored, else 0
-- @include state
-- @include ids
-- @read s <- KEYS[1]: registrationId, run, reserved
if s.registrationId ~= ARGV[1] then return 0 end
-- A state of an earlier run may be too old. accept-updates sees that by comparing the ids, so do not store the new one.
if s.run ~= runId() then return 0 end
if tonumber(s.reserved or 0) < tonumber(ARGV[2]) then redis.call('HSET', KEYS[1], 'reserved', ARGV[2]) end
return 1
