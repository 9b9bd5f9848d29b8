-- Reads fields of the states of many bots of a shard: far less work than a command for each bot.
-- KEYS  1 the state of one of the bots
-- ARGV  1 stored names of fields, separated by spaces; 2 ids of bots, separated by spaces
-- RESULT one text: of each bot the fields, separated by spaces; 0 where one is absent
local fields, found, count, call = {}, {}, 0, redis.call
for field in string.gmatch(ARGV[1], '%S+') do fields[#fields + 1] = field end
local prefix = string.match(KEYS[1], '^(.*:)%d+:state$')
for id in string.gmatch(ARGV[2], '%d+') do
  local values = call('HMGET', prefix .. id .. ':state', unpack(fields))
  for at = 1, #values do
    count = count + 1
    found[count] = values[at] or '0'
  end
end
return table.concat(found, ' ')
