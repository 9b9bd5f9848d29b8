-- The ids that push has filed and not delivered: the lowest of them, or nil. One LINDEX per lane.
local function lowestPending(lanes, lanePrefix)
  local lowest = nil
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
    local id = tonumber(redis.call('LINDEX', lanePrefix .. lane, 0))
    if id and (not lowest or id < lowest) then lowest = id end
  end
  return lowest
end

-- Forgets everything push has filed; its place is then the end of the log.
local function clearPush(state, lanes, flight, retries, starts, lanePrefix)
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do redis.call('DEL', lanePrefix .. lane) end
  redis.call('DEL', lanes, flight, retries, starts)
  local s = redis.call('HMGET', state, 'last', 'n')
  redis.call('HSET', state, 'filed', s[1], 'filedN', s[2], 'floor', s[1], 'pend', 0, 'parked', 0)
  redis.call('HINCRBY', state, 'e:push', 1)
end

-- What a dead owner had in flight is due again.
local function restoreFlights(lanes, flight)
  for _, lane in ipairs(redis.call('HKEYS', flight)) do redis.call('ZADD', lanes, 'XX', 0, lane) end
  redis.call('DEL', flight)
end
