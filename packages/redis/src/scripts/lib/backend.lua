-- What one call of a push turn and of a program's turn share: the breaker of a backend, and its attempts.
-- @include turn
-- @include settle
-- @include claim
-- @include live
local ATTEMPTS_KEPT = 100
local TRIMMED_AT_ONCE = 20
local FILE_AT_ONCE = 200
-- After failures for this long without a success the breaker opens; then there is one probe at a time, at growing intervals.
local OPEN_AFTER_MS = 10000
local FIRST_PROBE_MS = 2000
local GONE_FOR_MS = 23 * 3600000

-- The stored names of a reader with a backend, in the state or in the hash of a program.
local BACKEND_FIELDS = { fencingToken = '@pushFencingToken', claim = '@pushClaim', suspect = '@pushSuspect', floor = '@pushFloor' }

-- What the caller says about the requests that it has made since its last call; all of it is empty when this claim was
-- made before. args: from `from` on the last error ('' keeps the old one); when the earliest failed request began (ms,
-- '' when none failed); '1' when one succeeded; '1' when every answer was 410, '0' when there were others, '' when there
-- was none.
local function requestsOf(turn, args, from)
  if turn.repeated then return { lastError = '', failedFrom = '', succeeded = false, onlyGone = '' } end
  return { lastError = args[from], failedFrom = args[from + 1], succeeded = args[from + 2] == '1', onlyGone = args[from + 3] }
end

-- Keeps the attempts in args, from `from` on, and shows them to who watches. s: with watchedUntil.
local function keepAttempts(turn, s, attempts, live, args, from)
  if #args < from or turn.repeated then return end
  local count = redis.call('LPUSH', attempts, unpack(args, from))
  if count >= ATTEMPTS_KEPT + TRIMMED_AT_ONCE then redis.call('LTRIM', attempts, 0, ATTEMPTS_KEPT - 1) end
  if tonumber(s.watchedUntil or 0) <= turn.now then return end
  for at = from, #args do addLive(live, #args[at], 't', 'attempt', 'j', args[at]) end
  announceLive(turn.botId)
end

-- Opens or closes the breaker as these requests want it. s: with failingSince, probeIntervalMs, openUntil. Returns until
-- when it is open (0 when it is closed), and whether it closed or opened in this call (0/1).
local function judgeBackend(turn, s, requests)
  local now, openUntil, failingSince = turn.now, openUntilOf(s, turn.now), tonumber(s.failingSince)
  if requests.lastError ~= '' then
    change(turn, '@pushErr', requests.lastError)
    change(turn, '@pushErrAt', turn.nowText)
  end
  if requests.succeeded then
    change(turn, '@pushOkAt', turn.nowText)
    if failingSince then
      closeBreaker(turn.own)
      announceState(turn.botId)
    end
    if openUntil == 0 then return 0, 0, 0 end
    allDueNow(turn.lanes, now)
    return 0, 1, 0
  end
  if requests.failedFrom == '' then return openUntil, 0, 0 end
  if not failingSince then announceState(turn.botId) end
  -- Before a time in the future, which a wrong clock wrote, the breaker would not open.
  failingSince = math.min(failingSince or tonumber(requests.failedFrom), now)
  change(turn, '@failingSince', failingSince)
  if openUntil > now or (openUntil == 0 and now - failingSince < OPEN_AFTER_MS) then return openUntil, 0, 0 end
  local intervalMs = math.min(tonumber(s.probeIntervalMs or FIRST_PROBE_MS / 2) * 2, LONGEST_PROBE_MS)
  local opened = openUntil == 0 and 1 or 0
  if opened == 1 then announceState(turn.botId) end
  change(turn, '@probeIntervalMs', intervalMs)
  change(turn, '@openUntil', now + intervalMs)
  return now + intervalMs, 0, opened
end

-- Whether every answer of the last 23 h was 410 (0/1). s: with goneSince.
local function isHopeless(turn, s, requests)
  if requests.onlyGone == '0' and s.goneSince then redis.call('HDEL', turn.own, 'goneSince') end
  if requests.onlyGone ~= '1' then return 0 end
  local goneSince = tonumber(s.goneSince or turn.now)
  change(turn, '@goneSince', goneSince)
  return turn.now - goneSince > GONE_FOR_MS and 1 or 0
end

-- Claims what is due. Half-open: when the probe is due, one unit is claimed, with nothing else in flight.
local function claimForBackend(turn, s, openUntil)
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

-- Claims what is due and ends the call, as closeTurn does. found: also hopeless, closed, opened; without units and answer.
local function closeBackendTurn(turn, s, found)
  found.units = claimForBackend(turn, s, found.openUntil)
  -- What waits to be removed from its lane is more to do, as what waits to be filed is.
  found.more = found.more or turn.hasMoreToRemove
  change(turn, '@pushPending', textOf(turn.pending))
  found.answer = { found.more and 1 or 0, found.hopeless, found.closed, found.opened, turn.pending }
  return closeTurn(turn, found)
end
