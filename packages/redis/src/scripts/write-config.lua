-- Publishes one bot's sealed configuration, or its deletion, to every process.
-- Raises only a version that exists: after Redis came back empty, reconcileBots creates it once all bots are there.
-- @keys bots, changes, version
-- @args botId: digits
--   revision: number?  absent when the bot was deleted
--   sealed: text  JSON
-- @reply flag  something changed; else the mirror already had this or a newer revision
local known = redis.call('HGET', bots, botId)
if not revision then
  if not known then return 0 end
  redis.call('HDEL', bots, botId)
else
  if known and tonumber(string.match(known, '^%d+')) >= revision then return 0 end
  redis.call('HSET', bots, botId, revision .. ' ' .. sealed)
end
if redis.call('EXISTS', version) == 1 then
  redis.call('ZADD', changes, redis.call('INCR', version), botId)
  redis.call('PUBLISH', '@channels.config', botId)
end
return 1
