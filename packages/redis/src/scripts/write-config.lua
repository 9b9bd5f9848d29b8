-- Publishes one bot's sealed configuration, or that the bot is gone, to every process.
-- KEYS  1 bots  2 changes  3 version
-- ARGV  1 bot id  2 sealed JSON ('' when the bot was deleted)
-- RESULT the new version
local version = redis.call('INCR', KEYS[3])
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
redis.call('ZADD', KEYS[2], version, ARGV[1])
redis.call('PUBLISH', 'flotilla:config', ARGV[1])
return version
