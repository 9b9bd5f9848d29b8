-- @include log
-- @include state
local CONSUMER_PIN_MS = 3600000
local CONSUMER_LIFE_MS = 86400000
local ACKED_KEPT_IDS = 10000

-- Programs are among the named consumers, under names that no client can choose. The cursor of one that pushes is its
-- floor, and its time that of its last turn. The time of a parked one is 0: it holds nothing.
local function isProgram(name)
  return string.sub(name, 1, 8) == 'program:'
end

-- The reader that a consumer is: 'consumer:<name>' or 'program:<id>'.
local function readerOf(name)
  return isProgram(name) and name or 'consumer:' .. name
end

-- The ids up to which the active readers need nothing more, by reader; a named consumer is 'consumer:<name>', a program
-- 'program:<id>'. s: the state, with pull, push, parked, pullCursor, keptFrom, pushFloor, rules, rulesFloor; named: the consumers, as HGETALL answers.
local function pinsOf(s, named, now)
  local pins = {}
  if s.pull == '1' then pins.pull = math.max(tonumber(s.keptFrom), tonumber(s.pullCursor) - ACKED_KEPT_IDS) end
  if s.push == '1' or tonumber(s.parked) > now then pins.push = tonumber(s.pushFloor) end
  if s.rules == '1' then pins.rules = tonumber(s.rulesFloor) end
  for i = 1, #named, 2 do
    local cursor, polledAt = string.match(named[i + 1], '^(%d+) (%d+)$')
    local holds = now - tonumber(polledAt) < CONSUMER_PIN_MS
    if isProgram(named[i]) then holds = polledAt ~= '0' end
    if holds then pins[readerOf(named[i])] = tonumber(cursor) end
  end
  return pins
end

-- The cursor of a reader that is off moves along, so that it starts at the end when it is turned on.
local function moveIdleCursors(changes, pull, holdsForPush, last, count)
  if not pull then
    addField(changes, '@pullCursor', last)
    addField(changes, '@pullCursorCount', count)
  end
  if not holdsForPush then
    addField(changes, '@pushCursor', last)
    addField(changes, '@pushCursorCount', count)
    addField(changes, '@pushFloor', last)
  end
end

-- Removes entries from the log that every active reader has passed.
local function trimLog(state, log, consumers, now)
  -- @read s <- state: lastId, pull, push, parked, pullCursor, keptFrom, pushFloor, rules, rulesFloor
  local bound, named = tonumber(s.lastId), redis.call('HGETALL', consumers)
  for i = 1, #named, 2 do
    if not isProgram(named[i]) and now - tonumber(string.match(named[i + 1], '%d+$')) > CONSUMER_LIFE_MS then redis.call('HDEL', consumers, named[i]) end
  end
  for _, pin in pairs(pinsOf(s, named, now)) do bound = math.min(bound, pin) end
  if bound > 0 then redis.call('XTRIM', log, 'MINID', bound + 1) end
  redis.call('HSET', state, 'trimmedAt', now)
end
