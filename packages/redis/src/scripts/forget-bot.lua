-- Deletes the keys of a bot, except its seen bitmaps and hours of activity, which the caller finds by prefix.
-- KEYS  1 state  2 log  3 consumers  4 ids push has delivered  5 lanes  6 in flight  7 work  8 attempts  9 redriven  10 pending turns
--       11 lanes of rules  12 their units in flight  13 their work  14 their redriven  15 live stream
-- ARGV  1 lane key prefix  2 bot id  3 lane key prefix of rules  4 key prefix of programs
-- RESULT 1
-- @include programs
for _, lane in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do redis.call('DEL', ARGV[1] .. lane) end
for _, lane in ipairs(redis.call('ZRANGE', KEYS[11], 0, -1)) do redis.call('DEL', ARGV[3] .. lane) end
redis.call('ZREM', KEYS[10], ARGV[2] .. ':push', ARGV[2] .. ':rules')
for _, name in ipairs(redis.call('HKEYS', KEYS[3])) do
  if isProgram(name) then
    forgetProgram(programKeys(ARGV[4], string.sub(name, 9)))
    redis.call('ZREM', KEYS[10], ARGV[2] .. ':' .. name)
  end
end
redis.call('DEL', unpack(KEYS, 1, 9))
redis.call('DEL', unpack(KEYS, 11, 15))
return 1
