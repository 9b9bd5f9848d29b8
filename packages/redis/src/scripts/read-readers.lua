-- Reads how far every reader of a bot's log is, all at one moment.
-- @keys state, log, consumers, lanes, inFlight, rulesLanes, rulesInFlight
-- @args registrationId: text
--   lanePrefix: text, rulesLanePrefix: text, programPrefix: text  of the keys of lanes and programs
-- @reply
--   GONE
--   OK nowMs: number, bot: bot, readers: reader[]
-- @row bot on: text, pull: text, push: text, pushKeptUntil: text, rules: text, failingSince: text, openUntil: text
--   pushErr: text, pushErrAt: text, pushOkAt: text, pulledAt: text, servedSince: text  as stored, '' for what is absent
-- @row reader reader: text  its name
--   cursor: number?
--   behind: number, oldestAtMs: number?  how many wait, and when the oldest of these was accepted
--   inFlight: number?  units
--   dueAtMs: number?  when the first lane is due
--   keeps: number  how many entries only it keeps in the log
--   polledAtMs: number?  last poll of a consumer
--   polledBy: text  who made the last poll of the default consumer or of a program, '' where nobody knows
--   program: program?
-- @row program push: text, failingSince: text, openUntil: text, pushErr: text, pushErrAt: text, pushOkAt: text
--   parkedAt: text, parkedFor: text  as stored, '' for what is absent
-- @include clock
-- @include state
-- @include trim
-- @include lanes
-- @include programs
-- @include reader-age
-- @read s <- state: registrationId, on, lastId, allowedCount, pull, push, pushKeptUntil, rules, pullCursor, pullCursorCount,
--   keptFrom, pushCursor, pushCursorCount, pushPending, pushFloor, rulesCursor, rulesFloor, rulesUnread, rulesPending,
--   failingSince, openUntil, pushErr, pushErrAt, pushOkAt, pulledAt, servedSince, polledBy
if s.registrationId ~= registrationId then return { 'GONE' } end
local now, count, named = serverNow(), tonumber(s.allowedCount), redis.call('HGETALL', consumers)
local kept, readers = keptByOne(log, s, named, count, now), {}

-- found: cursor, behind, oldestAt, units, dueAt, polledAt, program; what is left out is absent
local function add(reader, found)
  local behind = found.behind or 0
  readers[#readers + 1] = {
    fields.reader {
      reader = reader,
      cursor = found.cursor or '',
      behind = math.max(behind, 0),
      oldestAtMs = behind > 0 and found.oldestAt or '',
      inFlight = found.units or '',
      dueAtMs = found.dueAt or '',
      keeps = kept.reader == reader and kept.entries or 0,
      polledAtMs = found.polledAt or '',
      polledBy = found.polledBy or '',
      program = found.program or '',
    },
  }
end

-- The waiting updates of a reader with lanes. reader: cursor, floor, unread, pending; keys: lanes, inFlight
local function waitingInLanes(keys, prefix, reader, isWanted)
  return {
    cursor = reader.cursor,
    behind = reader.unread + tonumber(reader.pending),
    oldestAt = oldestOf(log, keys.lanes, prefix, reader, isWanted),
    units = redis.call('HLEN', keys.inFlight),
    dueAt = dueOf(keys.lanes),
  }
end

local function addPull()
  if s.pull ~= '1' then return add('pull', {}) end
  local behind = count - tonumber(s.pullCursorCount)
  local oldestAt = acceptedAfter(log, s.pullCursor, isAllowed)
  add('pull', { cursor = s.pullCursor, behind = behind, oldestAt = oldestAt, polledBy = s.polledBy })
end

local function addPush()
  if s.push ~= '1' and tonumber(s.pushKeptUntil) <= now then return add('push', { units = 0 }) end
  local unread = count - tonumber(s.pushCursorCount)
  local push = { cursor = s.pushCursor, floor = s.pushFloor, unread = unread, pending = s.pushPending }
  add('push', waitingInLanes({ lanes = lanes, inFlight = inFlight }, lanePrefix, push, isAllowed))
end

local function addRules()
  if s.rules ~= '1' then return add('rules', { units = 0 }) end
  local unread = tonumber(s.rulesUnread)
  local rules = { cursor = s.rulesCursor, floor = s.rulesFloor, unread = unread, pending = s.rulesPending }
  add('rules', waitingInLanes({ lanes = rulesLanes, inFlight = rulesInFlight }, rulesLanePrefix, rules, isOfRules))
end

local function addConsumer(name, cursor, polledAt, program, polledBy)
  local oldestAt = acceptedAfter(log, cursor, isAny)
  local behind = countAfter(log, cursor, count)
  -- stylua: ignore
  add(name, { cursor = cursor, behind = behind, oldestAt = oldestAt, polledAt = polledAt, program = program, polledBy = polledBy })
end

local function addProgram(name, cursor, polledAt)
  local keys = programKeys(programPrefix, string.sub(name, 9))
  -- @read p <- keys.state: push, pushCursor, pushCursorCount, pushPending, pushFloor, failingSince, openUntil, pushErr,
  --   pushErrAt, pushOkAt, parkedAt, parkedFor, polledAt, polledBy
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
  if p.push ~= '1' then
    return addConsumer(name, cursor, polledAt == '0' and p.polledAt or polledAt, program, p.polledBy)
  end
  local unread = count - tonumber(p.pushCursorCount)
  local own = { cursor = p.pushCursor, floor = p.pushFloor, unread = unread, pending = p.pushPending }
  local found = waitingInLanes(keys, keys.lanePrefix, own, isAny)
  found.program = program
  add(name, found)
end

addPull()
addPush()
addRules()
for i = 1, #named, 2 do
  local cursor, polledAt = consumerOf(named[i + 1])
  if isProgram(named[i]) then
    addProgram(named[i], cursor, polledAt)
  elseif now - tonumber(polledAt) <= CONSUMER_LIFE_MS then
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
    servedSince = s.servedSince or '',
  },
}
return reply.OK { nowMs = now, bot = bot, readers = readers }
