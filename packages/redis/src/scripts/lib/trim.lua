-- @include log
local CONSUMER_PIN_MS = 3600000
local CONSUMER_LIFE_MS = 86400000
local ACKED_KEPT_IDS = 10000

-- Removes from the log what every active reader has passed.
local function trimLog(state, log, consumers, now)
  local s = redis.call('HMGET', state, 'last', 'pull', 'push', 'parked', 'acked', 'keptFrom', 'floor', 'rules', 'ruledTo')
  local bound = tonumber(s[1])
  if s[2] == '1' then
    bound = math.min(bound, math.max(tonumber(s[6]), tonumber(s[5]) - ACKED_KEPT_IDS))
  end
  if s[3] == '1' or tonumber(s[4]) > now then bound = math.min(bound, tonumber(s[7])) end
  if s[8] == '1' then bound = math.min(bound, tonumber(s[9])) end
  local named = redis.call('HGETALL', consumers)
  for i = 1, #named, 2 do
    local acked, polledAt = string.match(named[i + 1], '^(%d+) (%d+)$')
    local age = now - tonumber(polledAt)
    if age > CONSUMER_LIFE_MS then
      redis.call('HDEL', consumers, named[i])
    elseif age < CONSUMER_PIN_MS then
      bound = math.min(bound, tonumber(acked))
    end
  end
  if bound > 0 then redis.call('XTRIM', log, 'MINID', bound + 1) end
  redis.call('HSET', state, 'trimmedAt', now)
end
