-- Puts dead letters back at the end of their lanes, in the order given; one that stands there already is left alone.
-- KEYS  1 state  2 lanes  3 redriven  4 dirty
-- ARGV  1 generation  2 now (ms)  3 bot id  4 lane key prefix  5 expires at (ms)
--       6… per dead letter: its id, update id, kind, lane, raw
-- RESULT {'GONE'} | {'OFF'} when the bot has no backend | {'OK', wake push (0/1)}
local s = redis.call('HMGET', KEYS[1], 'gen', 'push')
if s[1] ~= ARGV[1] then return { 'GONE' } end
if s[2] ~= '1' then return { 'OFF' } end
for i = 6, #ARGV, 5 do
  local id, lane = 'r' .. ARGV[i], ARGV[i + 3]
  local entry = { id = tonumber(ARGV[i + 1]), raw = ARGV[i + 4], kind = ARGV[i + 2], lane = lane, at = tonumber(ARGV[2]), expires = tonumber(ARGV[5]) }
  if redis.call('HSETNX', KEYS[3], id, cjson.encode(entry)) == 1 then
    redis.call('RPUSH', ARGV[4] .. lane, id)
    redis.call('ZADD', KEYS[2], 'NX', ARGV[2], lane)
    redis.call('HINCRBY', KEYS[1], 'pend', 1)
  end
end
redis.call('ZADD', KEYS[4], 'NX', ARGV[2], ARGV[3] .. ':push')
return { 'OK', 1 }
