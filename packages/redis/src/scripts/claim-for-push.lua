-- One call of a push turn: settles deliveries, files new updates into lanes, claims what is due.
-- @keys from backend
-- @args from backend
-- @reply from backend
-- @include backend

local turn = openTurn('push', BACKEND_FIELDS, KEYS, ARGV)
local state = turn.state
-- @read s <- state: registrationId, on, push as isWanted, pushFencingToken as fencingToken, pushClaim as claim,
--   pushSuspect as suspect, pushCursor, pushCursorCount, pushPending, failingSince, probeIntervalMs, openUntil,
--   goneSince, watchedUntil, lastId
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.pushPending)

settleUnits(turn, ARGV, span(settled))
local requests = requestsOf(turn, ARGV)
keepAttempts(turn, s, ARGV)
keepHits(turn, ARGV)
local openUntil, closed, opened = updateBreaker(turn, s, requests)
local hopeless = isHopeless(turn, s, requests)

local active, cursor, more = s.on == '1' and s.isWanted == '1', tonumber(s.pushCursor), false
if active then
  cursor, more = fileNewEntries(turn, s, isAllowedEntry)
else
  turn.limit = 0
end

local answer = closeBackendTurn(turn, s, {
  fencingToken = fencingToken,
  active = active,
  cursor = cursor,
  more = more,
  openUntil = openUntil,
  hopeless = hopeless,
  closed = closed,
  opened = opened,
})
countOutcomes(turn, ARGV)
return answer
