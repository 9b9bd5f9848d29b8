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

-- A reader has a hash for each hour, too: minute of the hour times 56 plus the place of the count (delivered, failed, retried,
-- attempts that failed, and from 4 on attempts by their duration: packages/domain/src/records/activity/reader-counts.ts).
local READER_COUNTS, ATTEMPTS_FROM = 56, 3
-- The oldest minute that can be asked for is 25 h old.
local READER_LIFE_S = 26 * 3600

-- attempts: places and their counts in turn, '3 1 17 2'. Returns whether one of them failed.
local function countOfReader(prefix, now, delivered, failed, retried, attempts)
  if delivered + failed + retried == 0 and attempts == '' then return false end
  local key, first = prefix .. textOf(math.floor(now / HOUR_MS)), math.floor(now / 60000) % 60 * READER_COUNTS
  local isNew, hasFailed = false, false
  local function add(place, count)
    local sum = redis.call('HINCRBY', key, textOf(first + place), textOf(count))
    isNew = isNew or sum == count
  end
  for place, count in pairs({ [0] = delivered, failed, retried }) do
    if count > 0 then add(place, count) end
  end
  for place, count in string.gmatch(attempts, '(%d+) (%d+)') do
    if tonumber(place) >= ATTEMPTS_FROM then add(tonumber(place), tonumber(count)) end
    hasFailed = hasFailed or tonumber(place) == ATTEMPTS_FROM
  end
  if isNew then redis.call('EXPIRE', key, READER_LIFE_S) end
  return hasFailed
end
