-- Deletes what a bot has in Redis, but for its seen bitmaps, which the caller finds by prefix.
-- KEYS  1 state  2 log  3 consumers  4 hidden ids  5 lanes  6 flight  7 retries  8 starts  9 attempts  10 redriven  11 dirty
--       12 lanes of rules  13 their flight  14 their work  15 their redriven
-- ARGV  1 lane key prefix  2 bot id  3 lane key prefix of rules
-- RESULT 1
for _, lane in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do redis.call('DEL', ARGV[1] .. lane) end
for _, lane in ipairs(redis.call('ZRANGE', KEYS[12], 0, -1)) do redis.call('DEL', ARGV[3] .. lane) end
redis.call('ZREM', KEYS[11], ARGV[2] .. ':push', ARGV[2] .. ':rules')
redis.call('DEL', unpack(KEYS, 1, 10))
redis.call('DEL', unpack(KEYS, 12, 15))
return 1
