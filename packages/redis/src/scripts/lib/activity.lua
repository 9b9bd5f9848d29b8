-- Counts what happened in a minute. A bot and its shard have a hash for each hour: minute of the hour → 'in delivered failed
-- retried calls'. With at most sixty short fields Redis keeps it as a listpack.

-- The oldest minute that can be asked for is 49 h old, and the hash begins up to an hour before it.
local ACTIVITY_LIFE_S = 50 * 3600

local function addToMinute(key, minute, accepted, delivered, failed, retried, calls)
  local known = redis.call('HGET', key, minute)
  if known then
    local a, d, f, r, c = string.match(known, '(%d+) (%d+) (%d+) (%d+) (%d+)')
    accepted, delivered, failed, retried, calls = accepted + a, delivered + d, failed + f, retried + r, calls + c
  end
  redis.call('HSET', key, minute, accepted .. ' ' .. delivered .. ' ' .. failed .. ' ' .. retried .. ' ' .. calls)
  if not known then redis.call('EXPIRE', key, ACTIVITY_LIFE_S) end
end

-- Adds to the minute of `now` (ms). ofBot, ofShard: the hashes of that hour.
local function countActivity(ofBot, ofShard, now, accepted, delivered, failed, retried, calls)
  if accepted + delivered + failed + retried + calls == 0 then return end
  local minute = math.floor(now / 60000) % 60
  addToMinute(ofBot, minute, accepted, delivered, failed, retried, calls)
  addToMinute(ofShard, minute, accepted, delivered, failed, retried, calls)
end
