-- The lowest id of the log that a reader has filed and not done with, or nil. Ids of redriven updates ('r…') are not the log's.
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

-- Forgets everything a reader has filed. Answers what had been redriven, as JSON texts.
local function clearLanes(reader, state, lanes, flight, work, redriven, lanePrefix)
  local again = redis.call('HVALS', redriven)
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do redis.call('DEL', lanePrefix .. lane) end
  redis.call('DEL', lanes, flight, work, redriven)
  redis.call('HINCRBY', state, 'e:' .. reader, 1)
  return again
end

-- What a dead owner had in flight is due again, before anything else.
local function restoreFlights(lanes, flight)
  local restored = redis.call('HKEYS', flight)
  if #restored == 0 then return end
  for _, lane in ipairs(restored) do redis.call('ZADD', lanes, 'XX', 0, lane) end
  redis.call('DEL', flight)
end

-- The backend takes updates again: nobody waits for the rest of a long delay. What is in flight stays so.
local function allDueNow(lanes, now)
  for _, lane in ipairs(redis.call('ZRANGEBYSCORE', lanes, '(' .. now, '(' .. 9e15)) do redis.call('ZADD', lanes, now, lane) end
end
