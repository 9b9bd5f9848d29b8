-- @include log
-- @include state
local CONSUMER_PIN_MS = 3600000
local CONSUMER_LIFE_MS = 86400000
local ACKED_KEPT_IDS = 10000

-- Removes entries from the log that every active reader has passed.
local function trimLog(state, log, consumers, now)
  -- @read s <- state: lastId, pull, push, parked, pullCursor, keptFrom, pushFloor, rules, rulesFloor
  local bound = tonumber(s.lastId)
  if s.pull == '1' then
    bound = math.min(bound, math.max(tonumber(s.keptFrom), tonumber(s.pullCursor) - ACKED_KEPT_IDS))
  end
  if s.push == '1' or tonumber(s.parked) > now then bound = math.min(bound, tonumber(s.pushFloor)) end
  if s.rules == '1' then bound = math.min(bound, tonumber(s.rulesFloor)) end
  local named = redis.call('HGETALL', consumers)
  for i = 1, #named, 2 do
    local cursor, polledAt = string.match(named[i + 1], '^(%d+) (%d+)$')
    local age = now - tonumber(polledAt)
    if age > CONSUMER_LIFE_MS then
      redis.call('HDEL', consumers, named[i])
    elseif age < CONSUMER_PIN_MS then
      bound = math.min(bound, tonumber(cursor))
    end
  end
  if bound > 0 then redis.call('XTRIM', log, 'MINID', bound + 1) end
  redis.call('HSET', state, 'trimmedAt', now)
end
