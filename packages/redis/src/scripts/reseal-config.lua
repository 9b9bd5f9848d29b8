-- Replaces one bot's sealed configuration by the same one, sealed again. Nothing changes in it, so no process is told.
-- KEYS  1 bots
-- ARGV  1 bot id  2 the value that was read  3 the new value, of the same revision
-- RESULT 1 when it was replaced, 0 when it has changed since
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
