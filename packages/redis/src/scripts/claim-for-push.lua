-- One call of a push turn: settles deliveries, files new updates into lanes, claims what is due.
-- KEYS  as lib/turn.lua says, and  10 attempts  11 activity of the bot  12 activity of the shard  13 live stream
-- ARGV  as lib/turn.lua says, and after the settled units: four arguments as requestsOf in lib/backend.lua says; then
--       attempts (JSON each)
-- RESULT as lib/turn.lua says, with {more to file or to remove from lanes (0/1), whether every answer of the last 23 h was 410 (0/1),
--        whether the breaker closed (0/1) or opened (0/1) in this call, how many updates wait in
--        lanes, those in flight included}
-- @include backend
-- @include activity

local turn = openTurn('push', BACKEND_FIELDS, KEYS, ARGV)
local state = turn.state
-- @read s <- state: registrationId, on, push as isWanted, pushFencingToken as fencingToken, pushClaim as claim,
--   pushSuspect as suspect, pushCursor, pushCursorCount, pushPending, failingSince, probeIntervalMs, openUntil,
--   goneSince, watchedUntil, lastId
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.pushPending)

local ownFrom = settleUnits(turn, ARGV, 12, tonumber(ARGV[11]))
local requests = requestsOf(turn, ARGV, ownFrom)
keepAttempts(turn, s, KEYS[10], KEYS[13], ARGV, ownFrom + 4)
local openUntil, closed, opened = judgeBackend(turn, s, requests)
local hopeless = isHopeless(turn, s, requests)

local active, cursor, more = s.on == '1' and s.isWanted == '1', tonumber(s.pushCursor), false
if active then
  cursor, more = fileNewEntries(turn, s, isAllowedEntry)
else
  turn.limit = 0
end

local answer = closeBackendTurn(turn, s, {
  fencingToken = fencingToken, active = active, cursor = cursor, more = more, openUntil = openUntil,
  hopeless = hopeless, closed = closed, opened = opened,
})
countActivity(KEYS[11], KEYS[12], turn.now, 0, turn.delivered, turn.buried, turn.retried, 0)
return answer
