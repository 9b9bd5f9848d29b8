-- Puts one bot's configuration, sealed anew, in the place of what was read before; nobody needs to be told.
-- KEYS  1 bots
-- ARGV  1 bot id  2 what was read  3 what replaces it, of the same revision
-- RESULT 1 when it was replaced, 0 when it has changed since
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
