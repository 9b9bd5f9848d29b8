-- A bot's state hash; scripts/README.md lists its fields and says how scripts name them.

-- Adds a field to what is to be written.
local function addField(changes, field, value)
  local count = #changes
  changes[count + 1], changes[count + 2] = field, value
end

-- A number as a text. Redis formats a number that it gets from Lua as a fraction; the texts of small ones are made only once.
local SMALL = 1000
local texts = {}

local function textOf(number)
  local text = texts[number]
  if text then return text end
  text = tostring(number)
  if number >= 0 and number < SMALL then texts[number] = text end
  return text
end

-- Sets fields of the state, if there are any: name, value …
local function writeState(state, changes)
  if #changes > 0 then redis.call('HSET', state, unpack(changes)) end
end

-- The breaker closes: updates flow to the backend.
local function closeBreaker(state)
  redis.call('HDEL', state, '@failingSince', '@probeIntervalMs', '@openUntil')
end
