-- Stores the highest update id that Postgres has reserved for a bot.
-- @keys state
-- @args registrationId: text, reservedId: number
-- @reply flag  it was stored
-- @include state
-- @include ids
-- @read s <- state: registrationId, run, reserved
if s.registrationId ~= registrationId then return 0 end
-- A state of an earlier run may be too old. accept-updates sees that by comparing the ids, so do not store the new one.
if s.run ~= runId() then return 0 end
if tonumber(s.reserved or 0) < reservedId then redis.call('HSET', state, '@reserved', reservedId) end
return 1
