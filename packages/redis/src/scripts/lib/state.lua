-- A bot's state hash; scripts/README.md lists its fields and says how scripts name them.

-- Adds a field to what is to be written.
local function addField(changes, field, value)
  local count = #changes
  changes[count + 1], changes[count + 2] = field, value
end

-- Sets fields of the state, if there are any: name, value …
local function writeState(state, changes)
  if #changes > 0 then redis.call('HSET', state, unpack(changes)) end
end

-- The breaker closes: updates flow to the backend.
local function closeBreaker(state)
  redis.call('HDEL', state, '@failingSince', '@probeIntervalMs', '@openUntil')
end
