-- Lanes of one reader: a sorted set of lanes by the time (ms) their head is due, a list of ids per lane.
--   Ids of redriven updates ('r…') are not in the log.
-- @include log

-- True for the name of a copy that somebody replays: it is begun once, because nobody is to get it twice.
local function isCopy(id)
  return string.sub(id, 1, 2) == 'rc'
end

-- The time of a lane whose head is in flight.
local IN_FLIGHT_SCORE = 9e15
local IN_FLIGHT_TEXT = '9000000000000000'

-- Of what was delivered ahead of an update that waits, so many are remembered, for as long as the platform keeps updates.
local REMEMBERED_AT_MOST = 10000
local REMEMBERED_FOR_S = 90000
-- With more lanes, scripts do not look at each of them, so that Redis is not blocked.
local LANES_LOOKED_AT = 1000
local REDRIVEN_PAGE = 100

-- The lowest id of the log that waits in this lane, or nil.
local function lowestInLane(key)
  local at, size = 0, 1
  while true do
    local ids = redis.call('LRANGE', key, at, at + size - 1)
    for _, id in ipairs(ids) do
      if string.sub(id, 1, 1) ~= 'r' then return tonumber(id) end
    end
    if #ids < size then return nil end
    at, size = at + size, REDRIVEN_PAGE
  end
end

-- The lowest id of the log that waits in any lane, or nil.
local function lowestPending(lanes, lanePrefix)
  local lowest = nil
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
    local id = lowestInLane(lanePrefix .. lane)
    if id and (not lowest or id < lowest) then lowest = id end
  end
  return lowest
end

-- Removes all that waits in lanes; keys: lanes, inFlight, work, redriven. Returns the redriven updates as JSON.
local function clearLanes(keys, lanePrefix)
  local redriven = redis.call('HVALS', keys.redriven)
  for _, lane in ipairs(redis.call('ZRANGE', keys.lanes, 0, -1)) do
    redis.call('DEL', lanePrefix .. lane)
  end
  redis.call('DEL', keys.lanes, keys.inFlight, keys.work, keys.redriven)
  return redriven
end

-- Units that a dead owner had in flight are due again, before all others.
local function restoreInFlight(lanes, inFlight)
  local restored = redis.call('HKEYS', inFlight)
  if #restored == 0 then return end
  for _, lane in ipairs(restored) do
    redis.call('ZADD', lanes, 'XX', 0, lane)
  end
  redis.call('DEL', inFlight)
end

-- Makes all waiting lanes due, because the backend takes updates again. Units in flight stay in flight.
local function allDueNow(lanes, now)
  for _, lane in ipairs(redis.call('ZRANGEBYSCORE', lanes, '(' .. now, '(' .. IN_FLIGHT_SCORE)) do
    redis.call('ZADD', lanes, now, lane)
  end
end

-- The backend has changed: what failed at the old one is due now, and those failures no longer count. keys: lanes, work
local function retryNow(keys, now)
  allDueNow(keys.lanes, now)
  for _, field in ipairs(redis.call('HKEYS', keys.work)) do
    if string.sub(field, 1, 2) == 'r:' then redis.call('HDEL', keys.work, field) end
  end
end

-- Polls will go on at the lowest id that waits in lanes: the later ones that were delivered by push go into the set, so that polls leave
-- them out. Returns that id, or nil when nothing waits. upTo: the cursor of push
local function rememberDeliveredAhead(lanes, lanePrefix, log, upTo, set)
  local lowest, waiting = lowestPending(lanes, lanePrefix), {}
  if not lowest then return nil end
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
    for _, id in ipairs(redis.call('LRANGE', lanePrefix .. lane, 0, -1)) do
      waiting[id] = true
    end
  end
  for _, entry in ipairs(redis.call('XRANGE', log, lowest, upTo, 'COUNT', REMEMBERED_AT_MOST)) do
    local id = idTextOf(entry)
    if not waiting[id] then redis.call('SADD', set, id) end
  end
  redis.call('EXPIRE', set, REMEMBERED_FOR_S)
  return lowest
end
