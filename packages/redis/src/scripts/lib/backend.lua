-- Common to a call of a push turn and one of a program's turn: the breaker of a backend.
-- @keys from turn
-- @args from outcomes
--   lastError: text  of the requests that the caller has made since its last call; '' keeps the old one
--   failedForMs: number?  how long ago the earliest failed request began; absent when none failed
--   succeeded: flag  one of them did
--   answers: none|gone|other  gone: every answer was 410
-- @reply from close-turn
--   OK moreToDo: flag  to file or to remove from lanes
--     isStale: flag  by a newer configuration the program may want other kinds, so nothing was filed
--     hopeless: flag  every answer of the last 23 h was 410
--     closed: flag, opened: flag  the breaker, in this call
--     waiting: number  how many updates wait in lanes, those in flight included
-- @include turn
-- @include settle
-- @include claim
-- @include close-turn
-- @include live
-- @include outcomes
local FILE_AT_ONCE = 200
-- After failures for this long without a success the breaker opens; then there is one probe at a time, at growing intervals.
local OPEN_AFTER_MS = 10000
local FIRST_PROBE_MS = 2000
local LONGEST_PROBE_MS = 60000
local GONE_FOR_MS = 23 * 3600000

-- The stored names of a reader with a backend, in the state or in the hash of a program.
local BACKEND_FIELDS =
  { fencingToken = '@pushFencingToken', claim = '@pushClaim', suspect = '@pushSuspect', floor = '@pushFloor' }

-- The caller's report about its requests; nothing when this claim was made before.
local function requestsOf(turn, args)
  if turn.repeated then return { lastError = '', failedFor = nil, succeeded = false, answers = 'none' } end
  return {
    lastError = args.lastError,
    failedFor = args.failedForMs,
    succeeded = args.succeeded,
    answers = args.answers,
  }
end

-- Opens or closes the breaker as these requests want it. s: with failingSince, probeIntervalMs, openUntil. Returns until
-- when it is open (0 when it is closed), and whether it closed or opened in this call.
local function updateBreaker(turn, s, requests)
  local now, openUntil, failingSince = turn.now, tonumber(s.openUntil or 0), tonumber(s.failingSince)
  if requests.lastError ~= '' then
    change(turn, '@pushErr', requests.lastError)
    change(turn, '@pushErrAt', turn.nowText)
  end
  if requests.succeeded then
    change(turn, '@pushOkAt', turn.nowText)
    if failingSince then
      closeBreaker(turn.readerState)
      announceState(turn.botId)
    end
    if openUntil == 0 then return 0, false, false end
    allDueNow(turn.lanes, now)
    return 0, true, false
  end
  if not requests.failedFor then return openUntil, false, false end
  if not failingSince then announceState(turn.botId) end
  failingSince = failingSince or now - requests.failedFor
  change(turn, '@failingSince', failingSince)
  if openUntil > now or (openUntil == 0 and now - failingSince < OPEN_AFTER_MS) then return openUntil, false, false end
  local intervalMs = math.min(tonumber(s.probeIntervalMs or FIRST_PROBE_MS / 2) * 2, LONGEST_PROBE_MS)
  local opened = openUntil == 0
  if opened then announceState(turn.botId) end
  change(turn, '@probeIntervalMs', intervalMs)
  change(turn, '@openUntil', now + intervalMs)
  return now + intervalMs, false, opened
end

-- True if every answer of the last 23 h was 410. s: with goneSince.
local function isHopeless(turn, s, requests)
  if requests.answers == 'other' and s.goneSince then redis.call('HDEL', turn.readerState, '@goneSince') end
  if requests.answers ~= 'gone' then return false end
  local goneSince = tonumber(s.goneSince or turn.now)
  change(turn, '@goneSince', goneSince)
  return turn.now - goneSince > GONE_FOR_MS
end

-- Claims what is due. Half-open: when the probe is due, one unit is claimed, with nothing else in flight.
local function claimDeliveries(turn, s, openUntil)
  local isOpen = openUntil > 0
  if isOpen then
    local isProbeDue = openUntil <= turn.now and redis.call('EXISTS', turn.inFlight) == 0
    turn.limit = isProbeDue and math.min(turn.limit, 1) or 0
  end
  local units = claimDue(turn, s.suspect, 0)
  -- While a probe is in flight nothing else is due; its outcome closes the breaker or sets the time of the next probe.
  if isOpen and redis.call('EXISTS', turn.inFlight) == 1 then turn.halted = true end
  return units
end

-- Files the new entries that isWanted(entry) selects into lanes. s: with lastId, pushCursor, pushCursorCount. Returns the
-- new cursor, and whether there is more to file.
local function fileNewEntries(turn, s, isWanted)
  local cursor = tonumber(s.pushCursor)
  if tonumber(s.lastId) <= cursor then return cursor, false end
  local found = redis.call('XRANGE', turn.log, '(' .. s.pushCursor, '+', 'COUNT', textOf(FILE_AT_ONCE))
  if #found == 0 then return cursor, false end
  for _, entry in ipairs(found) do
    if isWanted(entry) then
      local id = idTextOf(entry)
      turn.fresh[id] = entry
      fileInLane(turn, laneOf(entry), id)
    end
  end
  fileInLanes(turn)
  local newest = found[#found]
  change(turn, '@pushCursor', idTextOf(newest))
  change(turn, '@pushCursorCount', countOf(newest))
  return idOf(newest), #found == FILE_AT_ONCE
end

-- Claims what is due and ends the call, as closeTurn does. found: also hopeless, closed, opened, isStale; without units and answer.
local function closeBackendTurn(turn, s, found)
  found.units = claimDeliveries(turn, s, found.openUntil)
  -- A unit to be removed from its lane is more to do, like an update to be filed.
  found.more = found.more or turn.hasMoreToRemove
  change(turn, '@pushPending', textOf(turn.pending))
  found.answer = {
    fields.OK {
      moreToDo = found.more or false,
      isStale = found.isStale or false,
      hopeless = found.hopeless,
      closed = found.closed,
      opened = found.opened,
      waiting = turn.pending,
    },
  }
  return closeTurn(turn, found)
end
