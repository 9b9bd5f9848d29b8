-- @include state
-- Counts what happened in a minute. A bot and its shard have a hash for each hour since 1970: minute of the hour times five
-- plus the place of the count (in, delivered, failed, retried, calls) → how often. Redis keeps these small numbers as a listpack.
local COUNTS = 5
local HOUR_MS = 3600000

-- The oldest minute that can be asked for is 49 h old, and the hash begins up to an hour before it.
local ACTIVITY_LIFE_S = 50 * 3600

local function addToCount(key, field, count)
  if redis.call('HINCRBY', key, textOf(field), textOf(count)) == count then
    redis.call('EXPIRE', key, ACTIVITY_LIFE_S)
  end
end

-- Adds to the minute of `now` (ms): accepted, delivered, failed, retried, calls. ofBot, ofShard: what the keys of their hashes
-- begin with.
local function countActivity(ofBot, ofShard, now, ...)
  local hour, first = textOf(math.floor(now / HOUR_MS)), math.floor(now / 60000) % 60 * COUNTS
  for place = 1, COUNTS do
    local count = select(place, ...)
    if count > 0 then
      addToCount(ofBot .. hour, first + place - 1, count)
      addToCount(ofShard .. hour, first + place - 1, count)
    end
  end
end
