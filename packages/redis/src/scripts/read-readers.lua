-- Reads how far every reader of a bot's log is, all at one moment.
-- KEYS  1 state  2 log  3 consumers  4 lanes of push  5 their units in flight  6 lanes of rules  7 their units in flight
-- ARGV  1 registration id  2 now (ms)  3 lane key prefix of push  4 lane key prefix of rules  5 key prefix of programs
-- RESULT {'GONE'} | {'OK', {on, pull, push, parked, rules, failingSince, openUntil, pushErr, pushErrAt, pushOkAt, pulledAt},
--        per reader {its name, cursor, how many wait, when the oldest of these was accepted (ms), units in flight,
--        when the first lane is due (ms), how many entries only it keeps in the log, last poll of a consumer (ms),
--        and of a program: push, failingSince, openUntil, pushErr, pushErrAt, pushOkAt, parkedAt, parkedFor}}
--        with '' for what is absent
-- @include state
-- @include trim
-- @include lanes
-- @include programs
local ENTRIES_LOOKED_AT = 20

local state, log, now = KEYS[1], KEYS[2], tonumber(ARGV[2])
-- @read s <- state: registrationId, on, lastId, allowedCount, pull, push, parked, rules, pullCursor, pullCursorCount,
--   keptFrom, pushCursor, pushCursorCount, pushPending, pushFloor, rulesCursor, rulesFloor, rulesUnread, rulesPending,
--   failingSince, openUntil, pushErr, pushErrAt, pushOkAt, pulledAt
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
local count, named = tonumber(s.allowedCount), redis.call('HGETALL', KEYS[3])

local function isAllowed(entry) return entry.allowed end
local function isForRules(entry) return isRoutable(entry.kind) end
local function isAny() return true end

-- When the first such entry after this id was accepted; that of the first entry, if the next few are of other kinds.
local function acceptedAfter(id, isWanted)
  local found = redis.call('XRANGE', log, '(' .. id, '+', 'COUNT', ENTRIES_LOOKED_AT)
  for _, one in ipairs(found) do
    local entry = fieldsOf(one)
    if isWanted(entry) then return entry.at end
  end
  return found[1] and fieldsOf(found[1]).at or ''
end

-- The same for a reader with lanes: what waits in them is older than what it has not read. With many lanes, its floor is a bound.
local function oldestOf(lanes, lanePrefix, floor, cursor, isWanted)
  local waiting = redis.call('ZCARD', lanes)
  if waiting > LANES_LOOKED_AT then return acceptedAfter(floor, isWanted) end
  local lowest = waiting > 0 and lowestPending(lanes, lanePrefix)
  local entry = lowest and entryAt(log, lowest)
  return entry and appendedAtOf(entry) or acceptedAfter(cursor, isWanted)
end

local function dueOf(lanes)
  local first = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
  if #first == 0 or tonumber(first[2]) >= IN_FLIGHT_SCORE then return '' end
  return first[2]
end

-- How many entries only the slowest reader keeps. Entries of kinds that are not allowed are not counted, nor those that
-- pull has acknowledged: they are kept for slower pollers of the same consumer, and go by themselves.
s.keptFrom = s.pullCursor
local slowest, bound, nextBound = nil, tonumber(s.lastId), tonumber(s.lastId)
for reader, pin in pairs(pinsOf(s, named, now)) do
  if pin < bound then
    slowest, bound, nextBound = reader, pin, bound
  else
    nextBound = math.min(nextBound, pin)
  end
end
local function keptBy(reader)
  if reader ~= slowest then return 0 end
  return countUpTo(log, nextBound, count) - countUpTo(log, bound, count)
end

local readers = {}
local function add(reader, cursor, behind, oldestAt, inFlight, dueAt, polledAt)
  if behind <= 0 then oldestAt = '' end
  readers[#readers + 1] = { reader, cursor, math.max(behind, 0), oldestAt, inFlight, dueAt, keptBy(reader), polledAt }
  return readers[#readers]
end

local pullCursor, pushCursor = s.pullCursor, s.pushCursor
if s.pull == '1' then
  add('pull', pullCursor, count - tonumber(s.pullCursorCount), acceptedAfter(pullCursor, isAllowed), '', '', '')
else
  add('pull', '', 0, '', '', '', '')
end
if s.push == '1' or tonumber(s.parked) > now then
  local behind = count - tonumber(s.pushCursorCount) + tonumber(s.pushPending)
  local oldestAt = oldestOf(KEYS[4], ARGV[3], s.pushFloor, pushCursor, isAllowed)
  add('push', pushCursor, behind, oldestAt, redis.call('HLEN', KEYS[5]), dueOf(KEYS[4]), '')
else
  add('push', '', 0, '', 0, '', '')
end
if s.rules == '1' then
  local behind = tonumber(s.rulesUnread) + tonumber(s.rulesPending)
  local oldestAt = oldestOf(KEYS[6], ARGV[4], s.rulesFloor, s.rulesCursor, isForRules)
  add('rules', s.rulesCursor, behind, oldestAt, redis.call('HLEN', KEYS[7]), dueOf(KEYS[6]), '')
else
  add('rules', '', 0, '', 0, '', '')
end
local function addConsumer(name, cursor, polledAt)
  return add(name, cursor, countAfter(log, cursor, count), acceptedAfter(cursor, isAny), '', '', polledAt)
end

local function addProgram(name, cursor, polledAt)
  local keys = programKeys(ARGV[5], string.sub(name, 9))
  local program, row = keys.state, nil
  -- @read p <- program: push, pushCursor, pushCursorCount, pushPending, pushFloor, failingSince, openUntil, pushErr,
  --   pushErrAt, pushOkAt, parkedAt, parkedFor, polledAt
  if p.push == '1' then
    local behind = count - tonumber(p.pushCursorCount) + tonumber(p.pushPending)
    local oldestAt = oldestOf(keys.lanes, keys.lanePrefix, p.pushFloor, p.pushCursor, isAny)
    row = add(name, p.pushCursor, behind, oldestAt, redis.call('HLEN', keys.inFlight), dueOf(keys.lanes), '')
  else
    row = addConsumer(name, cursor, polledAt == '0' and p.polledAt or polledAt)
  end
  for _, value in ipairs({ p.push or '', p.failingSince or '', p.openUntil or '', p.pushErr or '', p.pushErrAt or '', p.pushOkAt or '', p.parkedAt or '', p.parkedFor or '' }) do
    row[#row + 1] = value
  end
end

for i = 1, #named, 2 do
  local cursor, polledAt = consumerOf(named[i + 1])
  if isProgram(named[i]) then
    addProgram(named[i], cursor, polledAt)
  elseif now - tonumber(polledAt) <= CONSUMER_LIFE_MS then
    addConsumer(readerOf(named[i]), cursor, polledAt)
  end
end

local shown = { s.on, s.pull, s.push, s.parked, s.rules or '', s.failingSince or '', s.openUntil or '', s.pushErr or '', s.pushErrAt or '', s.pushOkAt or '', s.pulledAt or '' }
return { 'OK', shown, unpack(readers) }
