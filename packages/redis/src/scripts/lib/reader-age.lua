-- How old what waits for a reader is, and what only one reader keeps.
-- @include log
-- @include lanes
-- @include trim
local ENTRIES_LOOKED_AT = 20

local function isAllowed(entry)
  return entry.allowed
end
local function isOfRules(entry)
  return isForRules(entry.kind, entry.mark)
end
local function isAny()
  return true
end

-- When the first such entry after this id was accepted; that of the first entry, if the next few are of other kinds; nil for none.
local function acceptedAfter(log, id, isWanted)
  local found = redis.call('XRANGE', log, '(' .. id, '+', 'COUNT', ENTRIES_LOOKED_AT)
  for _, one in ipairs(found) do
    local entry = fieldsOf(one)
    if isWanted(entry) then return entry.at end
  end
  return found[1] and fieldsOf(found[1]).at
end

-- The same for a reader with lanes: what waits in them is older than what it has not read. With many lanes, its floor is a bound.
-- reader: cursor, floor
local function oldestOf(log, lanes, lanePrefix, reader, isWanted)
  local waiting = redis.call('ZCARD', lanes)
  if waiting > LANES_LOOKED_AT then return acceptedAfter(log, reader.floor, isWanted) end
  local lowest = waiting > 0 and lowestPending(lanes, lanePrefix)
  local entry = lowest and entryAt(log, lowest)
  return entry and appendedAtOf(entry) or acceptedAfter(log, reader.cursor, isWanted)
end

-- When the first lane is due (ms); nil when none is due by itself.
local function dueOf(lanes)
  local first = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
  if #first == 0 or tonumber(first[2]) >= IN_FLIGHT_SCORE then return nil end
  return first[2]
end

-- The slowest reader, and how many entries only it keeps. Entries of kinds that are not allowed are not counted, nor those that
-- pull has acknowledged: they are kept for slower pollers of the same consumer, and go by themselves.
local function keptByOne(log, s, named, count, now)
  s.keptFrom = s.pullCursor
  local slowest, bound, nextBound = nil, tonumber(s.lastId), tonumber(s.lastId)
  for reader, pin in pairs(pinsOf(s, named, now)) do
    if pin < bound then
      slowest, bound, nextBound = reader, pin, bound
    else
      nextBound = math.min(nextBound, pin)
    end
  end
  if not slowest then return { entries = 0 } end
  return { reader = slowest, entries = countUpTo(log, nextBound, count) - countUpTo(log, bound, count) }
end
