-- The lowest id of the log that push has filed and not delivered, or nil. Ids of redriven updates ('r…') are not the log's.
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

-- Forgets everything push has filed; its place is then the end of the log. Answers what had been redriven, as JSON texts.
local function clearPush(state, lanes, flight, retries, starts, redriven, lanePrefix)
  local again = redis.call('HVALS', redriven)
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do redis.call('DEL', lanePrefix .. lane) end
  redis.call('DEL', lanes, flight, retries, starts, redriven)
  local s = redis.call('HMGET', state, 'last', 'n')
  redis.call('HSET', state, 'filed', s[1], 'filedN', s[2], 'floor', s[1], 'pend', 0, 'parked', 0)
  redis.call('HDEL', state, 'failSince', 'probeMs', 'closedUntil')
  redis.call('HINCRBY', state, 'e:push', 1)
  return again
end

-- What a dead owner had in flight is due again.
local function restoreFlights(lanes, flight)
  for _, lane in ipairs(redis.call('HKEYS', flight)) do redis.call('ZADD', lanes, 'XX', 0, lane) end
  redis.call('DEL', flight)
end
