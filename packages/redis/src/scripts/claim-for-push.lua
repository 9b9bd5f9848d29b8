-- One call of a push turn: settles deliveries, files new updates into lanes, claims what is due.
-- KEYS  as lib/turn.lua says, and  10 attempts  11 activity of the bot  12 activity of the shard  13 live stream
-- ARGV  as lib/turn.lua says, and after the settled units: the last error ('' keeps the old one); when the earliest
--       failed request began (ms, '' when none failed); '1' when one succeeded; '1' when every answer was 410,
--       '0' when there were others, '' when there was none; then attempts (JSON each)
-- RESULT as lib/turn.lua says, with {more to file (0/1), whether every answer of the last 23 h was 410 (0/1),
--        last success before this call (ms), whether the breaker closed (0/1) or opened (0/1) in this call}
-- @include turn
-- @include settle
-- @include claim
-- @include activity
-- @include live
local FILE_AT_ONCE = 200
local ATTEMPTS_KEPT = 100
-- After failures for this long without a success the breaker opens; then there is one probe at a time, at growing intervals.
local OPEN_AFTER_MS = 10000
local FIRST_PROBE_MS = 2000
local LONGEST_PROBE_MS = 60000
local GONE_FOR_MS = 23 * 3600000

local FIELDS = { fencingToken = '@pushFencingToken', claim = '@pushClaim', suspect = '@pushSuspect', floor = '@pushFloor' }
local turn = openTurn('push', FIELDS, KEYS, ARGV)
local state, now = turn.state, turn.now
-- @read s <- state: registrationId, on, push as isWanted, pushFencingToken as fencingToken, pushClaim as claim,
--   pushSuspect as suspect, pushCursor, pushCursorCount, pushPending, failingSince, probeIntervalMs, openUntil, pushOkAt,
--   goneSince, watchedUntil
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.pushPending)
local cursor, cursorCount = tonumber(s.pushCursor), tonumber(s.pushCursorCount)
local failingSince, openUntil = tonumber(s.failingSince), tonumber(s.openUntil or 0)

local mine = settleUnits(turn, ARGV, 12, tonumber(ARGV[11]))
local lastError, failedFrom, succeeded, onlyGone = ARGV[mine], ARGV[mine + 1], ARGV[mine + 2] == '1', ARGV[mine + 3]
if turn.repeated then lastError, failedFrom, succeeded, onlyGone = '', '', false, '' end
if lastError ~= '' then
  change(turn, '@pushErr', lastError)
  change(turn, '@pushErrAt', now)
end
if #ARGV >= mine + 4 and not turn.repeated then
  redis.call('LPUSH', KEYS[10], unpack(ARGV, mine + 4))
  redis.call('LTRIM', KEYS[10], 0, ATTEMPTS_KEPT - 1)
  if tonumber(s.watchedUntil or 0) > now then
    for at = mine + 4, #ARGV do addLive(KEYS[13], #ARGV[at], 't', 'attempt', 'j', ARGV[at]) end
    announceLive(turn.botId)
  end
end

local closed, opened = 0, 0
if succeeded then
  change(turn, '@pushOkAt', now)
  if failingSince then
    closeBreaker(state)
    announceState(turn.botId)
  end
  if openUntil > 0 then
    openUntil, closed = 0, 1
    allDueNow(turn.lanes, now)
  end
elseif failedFrom ~= '' then
  if not failingSince then announceState(turn.botId) end
  failingSince = failingSince or tonumber(failedFrom)
  change(turn, '@failingSince', failingSince)
  if now - failingSince >= OPEN_AFTER_MS and openUntil <= now then
    local intervalMs = math.min(tonumber(s.probeIntervalMs or FIRST_PROBE_MS / 2) * 2, LONGEST_PROBE_MS)
    opened = openUntil == 0 and 1 or 0
    if opened == 1 then announceState(turn.botId) end
    openUntil = now + intervalMs
    change(turn, '@probeIntervalMs', intervalMs)
    change(turn, '@openUntil', openUntil)
  end
end

local hopeless = 0
if onlyGone == '0' then
  if s.goneSince then redis.call('HDEL', state, 'goneSince') end
elseif onlyGone == '1' then
  local goneSince = tonumber(s.goneSince or now)
  change(turn, '@goneSince', goneSince)
  if now - goneSince > GONE_FOR_MS then hopeless = 1 end
end

local more, active = false, s.on == '1' and s.isWanted == '1'
if active then
  local fresh = redis.call('XRANGE', turn.log, '(' .. cursor, '+', 'COUNT', FILE_AT_ONCE)
  more = #fresh == FILE_AT_ONCE
  for _, found in ipairs(fresh) do
    local entry = fieldsOf(found)
    cursor, cursorCount = entry.id, entry.count
    if entry.allowed then fileInLane(turn, entry.lane, entry.id) end
  end
  if #fresh > 0 then
    change(turn, '@pushCursor', cursor)
    change(turn, '@pushCursorCount', cursorCount)
  end
else
  turn.limit = 0
end

-- Half-open: when the probe is due, one unit is claimed, with nothing else in flight.
local isOpen = openUntil > 0
if isOpen then
  local isProbeDue = openUntil <= now and redis.call('EXISTS', turn.inFlight) == 0
  turn.limit = isProbeDue and math.min(turn.limit, 1) or 0
end
local units = claimDue(turn, s.suspect, 0)
-- While a probe is in flight nothing else is due; its outcome closes the breaker or sets the time of the next probe.
if isOpen and redis.call('EXISTS', turn.inFlight) == 1 then turn.halted = true end
change(turn, '@pushPending', turn.pending)
countActivity(KEYS[11], KEYS[12], now, 0, turn.delivered, turn.buried, turn.retried, 0)
return closeTurn(turn, {
  fencingToken = fencingToken, active = active, cursor = cursor, more = more, openUntil = openUntil, units = units,
  answer = { more and 1 or 0, hopeless, tonumber(s.pushOkAt or 0), closed, opened },
})
