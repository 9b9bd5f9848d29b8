-- Forgets everything rules have filed; the place starts anew when they are turned on again. Answers what had been
-- redriven, as JSON texts.
local function clearRules(state, lanes, flight, work, redriven, lanePrefix)
  local again = redis.call('HVALS', redriven)
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do redis.call('DEL', lanePrefix .. lane) end
  redis.call('DEL', lanes, flight, work, redriven)
  redis.call('HSET', state, 'rules', 0, 'unlooked', 0, 'routing', 0)
  redis.call('HINCRBY', state, 'e:rules', 1)
  return again
end
