-- Notes up to which update id Postgres has reserved them for a bot.
-- KEYS  1 state
-- ARGV  1 generation  2 the reserved id
-- RESULT 1 when it was noted, else 0
if redis.call('HGET', KEYS[1], 'gen') ~= ARGV[1] then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'reserved') or 0) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'reserved', ARGV[2])
end
return 1
