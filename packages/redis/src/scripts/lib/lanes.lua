-- Lanes of one reader: a sorted set of lanes by the time (ms) their head is due, a list of ids per lane.
--   Ids of redriven updates ('r…') are not the log's.

-- The lowest id of the log that waits in any lane, or nil.
local function lowestPending(lanes, lanePrefix)
  local lowest = nil
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
    local at = 0
    local id = redis.call('LINDEX', lanePrefix .. lane, at)
    while id and string.sub(id, 1, 1) == 'r' do
      at = at + 1
      id = redis.call('LINDEX', lanePrefix .. lane, at)
    end
    if id and (not lowest or tonumber(id) < lowest) then lowest = tonumber(id) end
  end
  return lowest
end

-- Forgets everything that waits in lanes; keys: lanes, inFlight, work, redriven. Answers the redriven ones, as JSON texts.
local function clearLanes(keys, lanePrefix)
  local redriven = redis.call('HVALS', keys.redriven)
  for _, lane in ipairs(redis.call('ZRANGE', keys.lanes, 0, -1)) do redis.call('DEL', lanePrefix .. lane) end
  redis.call('DEL', keys.lanes, keys.inFlight, keys.work, keys.redriven)
  return redriven
end

-- What a dead owner had in flight is due again, before anything else.
local function restoreInFlight(lanes, inFlight)
  local restored = redis.call('HKEYS', inFlight)
  if #restored == 0 then return end
  for _, lane in ipairs(restored) do redis.call('ZADD', lanes, 'XX', 0, lane) end
  redis.call('DEL', inFlight)
end

-- The backend takes updates again: nobody waits for the rest of a long delay. What is in flight stays so.
local function allDueNow(lanes, now)
  for _, lane in ipairs(redis.call('ZRANGEBYSCORE', lanes, '(' .. now, '(' .. 9e15)) do redis.call('ZADD', lanes, now, lane) end
end
