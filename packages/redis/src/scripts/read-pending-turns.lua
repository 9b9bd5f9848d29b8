-- Reads which turns of a shard are held, and which have been pending for longer than a wake takes.
-- @keys pendingTurns
-- @args forMs: number  that long
-- @reply
--   OK held: text[], late: text[]  names of turns; one may be in both
-- @include clock
-- @include pending
local now, held, late = serverNow(), {}, {}
local found = redis.call('ZRANGE', pendingTurns, 0, -1, 'WITHSCORES')
for i = 1, #found, 2 do
  local name, since = found[i], tonumber(found[i + 1])
  if string.sub(name, 1, #HELD) == HELD then
    held[#held + 1] = string.sub(name, #HELD + 1)
  elseif now - since >= forMs then
    late[#late + 1] = name
  end
end
return reply.OK { held = held, late = late }
