-- Replaces one bot's sealed configuration by the same one, sealed again. Nothing changes in it, so no process is told.
-- @keys bots
-- @args botId: digits
--   known: text, sealed: text  the value that was read, and the new one of the same revision
-- @reply flag  it was replaced; else it has changed since
if redis.call('HGET', bots, botId) ~= known then return 0 end
redis.call('HSET', bots, botId, sealed)
return 1
