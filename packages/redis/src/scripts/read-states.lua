-- Reads fields of the states of many bots of a shard: far less work than a command for each bot.
-- @keys state  of one of the bots
-- @args fields: text  their stored names, separated by spaces
--   bots: text  their ids, separated by spaces
-- @reply text  of each bot the fields, separated by spaces; 0 where one is absent
local names, found, count, call = {}, {}, 0, redis.call
for field in string.gmatch(fields, '%S+') do
  names[#names + 1] = field
end
local prefix = string.match(state, '^(.*:)%d+:state$')
for id in string.gmatch(bots, '%d+') do
  local values = call('HMGET', prefix .. id .. ':state', unpack(names))
  for at = 1, #values do
    count = count + 1
    found[count] = values[at] or '0'
  end
end
return table.concat(found, ' ')
