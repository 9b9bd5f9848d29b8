-- Reads the floods that are not over, those that end first.
-- @keys floods, noted, numbers
-- @args most: number  how many
-- @reply
--   OK newest: number, floods: flood[]  the number of the newest 429 of all; 0 if none is known
-- @row flood name: text, number: number, leftMs: number, agedMs: number  how long it still lasts, and has lasted
-- @include clock
local now, rows = serverNow(), {}
local found = redis.call('ZRANGEBYSCORE', floods, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
for i = 1, #found, 2 do
  local number, beganMs = string.match(redis.call('HGET', noted, found[i]) or '', '^(%d+) (%d+)$')
  if number then
    rows[#rows + 1] = {
      fields.flood { name = found[i], number = number, leftMs = tonumber(found[i + 1]) - now, agedMs = now - beganMs },
    }
  end
end
return reply.OK { newest = tonumber(redis.call('GET', numbers) or 0), floods = rows }
