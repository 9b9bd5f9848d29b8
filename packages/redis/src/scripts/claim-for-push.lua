-- One call of a push turn: settles deliveries, files new updates into lanes, claims what is due.
-- KEYS  as lib/turn.lua says, and  10 attempts  11 activity of the bot  12 activity of the shard  13 live stream
-- ARGV  as lib/turn.lua says, and after the settled units: four arguments as requestsOf in lib/backend.lua says; then
--       attempts (JSON each)
-- RESULT as lib/turn.lua says, with {more to file (0/1), whether every answer of the last 23 h was 410 (0/1),
--        last success before this call (ms), whether the breaker closed (0/1) or opened (0/1) in this call}
-- @include backend
-- @include activity
local FILE_AT_ONCE = 200

local turn = openTurn('push', BACKEND_FIELDS, KEYS, ARGV)
local state = turn.state
-- @read s <- state: registrationId, on, push as isWanted, pushFencingToken as fencingToken, pushClaim as claim,
--   pushSuspect as suspect, pushCursor, pushCursorCount, pushPending, failingSince, probeIntervalMs, openUntil, pushOkAt,
--   goneSince, watchedUntil
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.pushPending)
local cursor, cursorCount = tonumber(s.pushCursor), tonumber(s.pushCursorCount)

local mine = settleUnits(turn, ARGV, 12, tonumber(ARGV[11]))
local requests = requestsOf(turn, ARGV, mine)
keepAttempts(turn, s, KEYS[10], KEYS[13], ARGV, mine + 4)
local openUntil, closed, opened = judgeBackend(turn, s, requests)
local hopeless = isHopeless(turn, s, requests)

local more, active = false, s.on == '1' and s.isWanted == '1'
if active then
  local fresh = redis.call('XRANGE', turn.log, '(' .. cursor, '+', 'COUNT', FILE_AT_ONCE)
  more = #fresh == FILE_AT_ONCE
  for _, found in ipairs(fresh) do
    local entry = fieldsOf(found)
    cursor, cursorCount = entry.id, entry.count
    if entry.allowed then
      turn.fresh[tostring(entry.id)] = entry
      fileInLane(turn, entry.lane, entry.id)
    end
  end
  if #fresh > 0 then
    change(turn, '@pushCursor', cursor)
    change(turn, '@pushCursorCount', cursorCount)
  end
else
  turn.limit = 0
end

local units = claimForBackend(turn, s, openUntil)
change(turn, '@pushPending', turn.pending)
countActivity(KEYS[11], KEYS[12], turn.now, 0, turn.delivered, turn.buried, turn.retried, 0)
return closeTurn(turn, {
  fencingToken = fencingToken, active = active, cursor = cursor, more = more, openUntil = openUntil, units = units,
  answer = { more and 1 or 0, hopeless, tonumber(s.pushOkAt or 0), closed, opened },
})
