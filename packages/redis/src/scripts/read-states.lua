-- Reads one thing of the states of many bots of a shard: far less work than a command for each bot.
-- KEYS  the state of each bot
-- ARGV  1 what: 'state', 'pending' or 'last_update'
-- RESULT per bot the fields of FIELDS below, in their order, separated by spaces; 0 where one is absent
local FIELDS = {
  state = { '@pollOkAt', '@hookOkAt', '@failingSince', '@openUntil' },
  pending = { '@allowedCount', '@pullCursorCount', '@pushCursorCount', '@pushPending', '@parked' },
  last_update = { '@updateAt' },
}
local fields, found = FIELDS[ARGV[1]], {}
for at, state in ipairs(KEYS) do
  local values = redis.call('HMGET', state, unpack(fields))
  for field = 1, #values do values[field] = values[field] or '0' end
  found[at] = table.concat(values, ' ')
end
return found
