-- Reads how far every reader of a bot's log is, all at one moment.
-- @keys state, log, consumers, lanes, inFlight, rulesLanes, rulesInFlight
-- @args registrationId: text, nowMs: number
--   lanePrefix: text, rulesLanePrefix: text, programPrefix: text  of the keys of lanes and programs
-- @reply
--   GONE
--   OK bot: bot, readers: reader[]
-- @row bot on: text, pull: text, push: text, pushKeptUntil: text, rules: text, failingSince: text, openUntil: text
--   pushErr: text, pushErrAt: text, pushOkAt: text, pulledAt: text  as stored, '' for what is absent
-- @row reader reader: text  its name
--   cursor: number?
--   behind: number, oldestAtMs: number?  how many wait, and when the oldest of these was accepted
--   inFlight: number?  units
--   dueAtMs: number?  when the first lane is due
--   keeps: number  how many entries only it keeps in the log
--   polledAtMs: number?  last poll of a consumer
--   program: program?
-- @row program push: text, failingSince: text, openUntil: text, pushErr: text, pushErrAt: text, pushOkAt: text
--   parkedAt: text, parkedFor: text  as stored, '' for what is absent
-- @include state
-- @include trim
-- @include lanes
-- @include programs
local ENTRIES_LOOKED_AT = 20

-- @read s <- state: registrationId, on, lastId, allowedCount, pull, push, pushKeptUntil, rules, pullCursor, pullCursorCount,
--   keptFrom, pushCursor, pushCursorCount, pushPending, pushFloor, rulesCursor, rulesFloor, rulesUnread, rulesPending,
--   failingSince, openUntil, pushErr, pushErrAt, pushOkAt, pulledAt
if s.registrationId ~= registrationId then return { 'GONE' } end
local count, named = tonumber(s.allowedCount), redis.call('HGETALL', consumers)

local function isAllowed(entry)
  return entry.allowed
end
local function isForRules(entry)
  return isRoutable(entry.kind)
end
local function isAny()
  return true
end

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
for reader, pin in pairs(pinsOf(s, named, nowMs)) do
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
local function add(reader, cursor, behind, oldestAt, units, dueAt, polledAt, program)
  if behind <= 0 then oldestAt = '' end
  readers[#readers + 1] = {
    fields.reader {
      reader = reader,
      cursor = cursor,
      behind = math.max(behind, 0),
      oldestAtMs = oldestAt,
      inFlight = units,
      dueAtMs = dueAt,
      keeps = keptBy(reader),
      polledAtMs = polledAt,
      program = program or '',
    },
  }
end

local pullCursor, pushCursor = s.pullCursor, s.pushCursor
if s.pull == '1' then
  add('pull', pullCursor, count - tonumber(s.pullCursorCount), acceptedAfter(pullCursor, isAllowed), '', '', '')
else
  add('pull', '', 0, '', '', '', '')
end
if s.push == '1' or tonumber(s.pushKeptUntil) > nowMs then
  local behind = count - tonumber(s.pushCursorCount) + tonumber(s.pushPending)
  local oldestAt = oldestOf(lanes, lanePrefix, s.pushFloor, pushCursor, isAllowed)
  add('push', pushCursor, behind, oldestAt, redis.call('HLEN', inFlight), dueOf(lanes), '')
else
  add('push', '', 0, '', 0, '', '')
end
if s.rules == '1' then
  local behind = tonumber(s.rulesUnread) + tonumber(s.rulesPending)
  local oldestAt = oldestOf(rulesLanes, rulesLanePrefix, s.rulesFloor, s.rulesCursor, isForRules)
  add('rules', s.rulesCursor, behind, oldestAt, redis.call('HLEN', rulesInFlight), dueOf(rulesLanes), '')
else
  add('rules', '', 0, '', 0, '', '')
end
local function addConsumer(name, cursor, polledAt, program)
  add(name, cursor, countAfter(log, cursor, count), acceptedAfter(cursor, isAny), '', '', polledAt, program)
end

local function addProgram(name, cursor, polledAt)
  local keys = programKeys(programPrefix, string.sub(name, 9))
  -- @read p <- keys.state: push, pushCursor, pushCursorCount, pushPending, pushFloor, failingSince, openUntil, pushErr,
  --   pushErrAt, pushOkAt, parkedAt, parkedFor, polledAt
  local program = {
    fields.program {
      push = p.push or '',
      failingSince = p.failingSince or '',
      openUntil = p.openUntil or '',
      pushErr = p.pushErr or '',
      pushErrAt = p.pushErrAt or '',
      pushOkAt = p.pushOkAt or '',
      parkedAt = p.parkedAt or '',
      parkedFor = p.parkedFor or '',
    },
  }
  if p.push == '1' then
    local behind = count - tonumber(p.pushCursorCount) + tonumber(p.pushPending)
    local oldestAt = oldestOf(keys.lanes, keys.lanePrefix, p.pushFloor, p.pushCursor, isAny)
    add(name, p.pushCursor, behind, oldestAt, redis.call('HLEN', keys.inFlight), dueOf(keys.lanes), '', program)
  else
    addConsumer(name, cursor, polledAt == '0' and p.polledAt or polledAt, program)
  end
end

for i = 1, #named, 2 do
  local cursor, polledAt = consumerOf(named[i + 1])
  if isProgram(named[i]) then
    addProgram(named[i], cursor, polledAt)
  elseif nowMs - tonumber(polledAt) <= CONSUMER_LIFE_MS then
    addConsumer(readerOf(named[i]), cursor, polledAt)
  end
end

local bot = {
  fields.bot {
    on = s.on,
    pull = s.pull,
    push = s.push,
    pushKeptUntil = s.pushKeptUntil,
    rules = s.rules or '',
    failingSince = s.failingSince or '',
    openUntil = s.openUntil or '',
    pushErr = s.pushErr or '',
    pushErrAt = s.pushErrAt or '',
    pushOkAt = s.pushOkAt or '',
    pulledAt = s.pulledAt or '',
  },
}
return reply.OK { bot = bot, readers = readers }
