-- Counts a call to the model of the router, unless the calls of the day, or the share of who asks, are used up.
-- @keys calls  hash: who asks → their calls of the day; `all` → those of all
-- @args who: text, writer: text?  each has a share
--   atMost: number  calls of all
--   share: number  this many times what is left
--   keptMs: number
-- @reply
--   TAKEN
--   NONE_LEFT
--   OWN_USED
local all = tonumber(redis.call('HGET', calls, 'all') or 0)
if all >= atMost then return { 'NONE_LEFT' } end
local asking = writer ~= '' and { who, writer } or { who }
for _, one in ipairs(asking) do
  local own = tonumber(redis.call('HGET', calls, one) or 0)
  if own >= share * (atMost - all) then return { 'OWN_USED' } end
end
redis.call('HINCRBY', calls, 'all', 1)
for _, one in ipairs(asking) do
  redis.call('HINCRBY', calls, one, 1)
end
redis.call('PEXPIRE', calls, keptMs)
return { 'TAKEN' }
