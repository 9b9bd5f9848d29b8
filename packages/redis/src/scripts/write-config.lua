-- Publishes one bot's sealed configuration, or its deletion, to every process.
-- Raises only a version that exists: after Redis came back empty, reconcileBots creates it once all bots are there.
-- KEYS  1 bots  2 changes  3 version
-- ARGV  1 bot id  2 revision ('' when the bot was deleted)  3 sealed JSON
-- RESULT 1 when something changed, 0 when the mirror already had this or a newer revision
local known = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[2] == '' then
  if not known then return 0 end
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  if known and tonumber(string.match(known, '^%d+')) >= tonumber(ARGV[2]) then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[3]), ARGV[1])
  redis.call('PUBLISH', 'flotilla:config', ARGV[1])
end
return 1
