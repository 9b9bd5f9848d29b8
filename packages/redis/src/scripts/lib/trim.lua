-- @include log
-- @include state
-- Scripts that append to a log or read it trim it at most once in this time.
local TRIM_EVERY_MS = 5000
local CONSUMER_PIN_MS = 3600000
local CONSUMER_LIFE_MS = 86400000
local ACKED_KEPT_IDS = 10000
local ACKED_KEPT_MS = 120000
-- A trim passes about so many entries, or so many bytes of updates, so as not to block Redis; the next one goes on.
local PASSED_AT_ONCE = 200
local PASSED_BYTES = 524288
local PASSED_PAGE = 25

-- Programs are among the named consumers, under names that no client can choose. The cursor of one that pushes is its
-- floor, and its time that of its last turn. The time of a parked one is 0: it holds nothing.
local function isProgram(name)
  return string.sub(name, 1, 8) == 'program:'
end

-- A consumer is stored as its cursor and the time of its last poll (ms): both as texts, or nil when it is not there.
local function consumerOf(stored)
  return string.match(stored or '', '^(%d+) (%d+)$')
end

-- The field of the state that says whose share of the named consumers one takes. Its own value stays as every release reads it.
local function ownerField(name)
  return 'owner:' .. name
end

local function removeConsumer(state, consumers, name)
  redis.call('HDEL', state, ownerField(name))
  return redis.call('HDEL', consumers, name)
end

-- The reader that a consumer is: 'consumer:<name>' or 'program:<id>'.
local function readerOf(name)
  return isProgram(name) and name or 'consumer:' .. name
end

-- The ids up to which the active readers need nothing more, by reader; a named consumer is 'consumer:<name>', a program
-- 'program:<id>'. s: the state, with pull, push, pushKeptUntil, pullCursor, keptFrom, pushFloor, rules, rulesFloor; named: the consumers, as HGETALL answers.
local function pinsOf(s, named, now)
  local pins = {}
  if s.pull == '1' then pins.pull = math.max(tonumber(s.keptFrom), tonumber(s.pullCursor) - ACKED_KEPT_IDS) end
  if s.push == '1' or tonumber(s.pushKeptUntil) > now then pins.push = tonumber(s.pushFloor) end
  if s.rules == '1' then pins.rules = tonumber(s.rulesFloor) end
  for i = 1, #named, 2 do
    local cursor, polledAt = consumerOf(named[i + 1])
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

-- The default cursor moves on. A slower poller may still need what a faster one has just acknowledged, so that stays readable.
-- cursor, count: pullCursor and pullCursorCount from now on; s: the state, with these, keptFrom, prevAck and prevAckAt
local function movePullCursor(state, s, cursor, count, now)
  s.pullCursor, s.pullCursorCount = cursor, count
  local changes = { '@pullCursor', cursor, '@pullCursorCount', count }
  if now - tonumber(s.prevAckAt) >= ACKED_KEPT_MS then
    s.keptFrom, s.prevAck, s.prevAckAt = s.prevAck, cursor, now
    addField(changes, '@keptFrom', s.keptFrom)
    addField(changes, '@prevAck', cursor)
    addField(changes, '@prevAckAt', now)
  end
  writeState(state, changes)
end

-- True if the default consumer will never get an entry behind its cursor. What programs take alone is not allowed.
local function isOverForPull(entry, now)
  return expiresAtOf(entry) <= now or not isAllowedEntry(entry)
end

-- The default cursor passes such entries, because a client that gets none of them has no id to acknowledge. It stops at the
-- first other one. Returns whether there may be more. s: the state, as for movePullCursor and with pull and lastId
local function passOver(state, log, s, now)
  if s.pull ~= '1' or tonumber(s.pullCursor) >= tonumber(s.lastId) then return false end
  local more, newest, passed, bytes, size = true, nil, 0, 0, 1
  while more and passed < PASSED_AT_ONCE and bytes < PASSED_BYTES do
    local from = newest and idTextOf(newest) or s.pullCursor
    local page = redis.call('XRANGE', log, '(' .. from, '+', 'COUNT', textOf(size))
    for _, entry in ipairs(page) do
      more = isOverForPull(entry, now)
      if not more then break end
      newest, passed, bytes = entry, passed + 1, bytes + #rawOf(entry)
    end
    more = more and #page == size
    -- Mostly the first one stops it.
    size = PASSED_PAGE
  end
  if newest then movePullCursor(state, s, idTextOf(newest), countOf(newest), now) end
  return more
end

-- Removes entries from the log that every active reader has passed, once the default cursor has passed what it may. Returns
-- pullCursorCount.
local function trimLog(state, log, consumers, now)
  -- @read s <- state: lastId, pull, push, pushKeptUntil, pullCursor, pullCursorCount, keptFrom, prevAck, prevAckAt, pushFloor, rules,
  --   rulesFloor
  local more = passOver(state, log, s, now)
  local bound, named = tonumber(s.lastId), redis.call('HGETALL', consumers)
  for i = 1, #named, 2 do
    if not isProgram(named[i]) and now - tonumber(string.match(named[i + 1], '%d+$')) > CONSUMER_LIFE_MS then
      removeConsumer(state, consumers, named[i])
    end
  end
  for _, pin in pairs(pinsOf(s, named, now)) do
    bound = math.min(bound, pin)
  end
  if bound > 0 then redis.call('XTRIM', log, 'MINID', bound + 1) end
  -- While there is more, trimmedAt stays, so the next call trims again.
  if not more then redis.call('HSET', state, '@trimmedAt', now) end
  return s.pullCursorCount
end
