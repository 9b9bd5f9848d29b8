-- Ends a flood, because a call passed that began after its last 429, and tells every process.
-- @keys floods, noted
-- @args name: text  which calls
--   number: digits  of the last 429 that the caller knows: a newer one goes on
-- @reply flag
local last = string.match(redis.call('HGET', noted, name) or '', '^(%d+)')
if last ~= number then return 0 end
redis.call('ZREM', floods, name)
redis.call('HDEL', noted, name)
redis.call('PUBLISH', '@channels.floods', number .. ' 0 0 ' .. name)
return 1
