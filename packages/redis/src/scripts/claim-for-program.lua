-- One call of a program's turn: settles deliveries, files new updates into its lanes, claims what is due.
-- KEYS  as lib/turn.lua says, lanes and work being the program's; and  10 attempts  11 live stream  12 hash of the program
--       13 ids that it had before its cursor went back
-- ARGV  as lib/turn.lua says, and after the settled units: four arguments as requestsOf in lib/backend.lua says; the
--       kinds that the program wants, and those that its webhook asks for, of what it took alone under other kinds (as
--       ARGV 9 and 14 of read-page); the revision of the configuration that these are of; then attempts (JSON each)
-- RESULT as that of claim-for-push, with 2 for more to file if the program may want other kinds by a newer configuration:
--        then nothing is filed
-- @include backend

local program, deliveredByPush = KEYS[12], KEYS[13]
local id = string.match(program, 'program:(%d+):state$')
local turn = openTurn('program:' .. id, BACKEND_FIELDS, KEYS, ARGV, program)
-- @read bot <- turn.state: registrationId, on, watchedUntil, programs, lastId, revision
-- @read s <- program: push as isWanted, pushFencingToken as fencingToken, pushClaim as claim, pushSuspect as suspect,
--   pushCursor, pushCursorCount, pushPending, failingSince, probeIntervalMs, openUntil, goneSince,
--   hasDeliveredAhead
s.registrationId, s.on, s.watchedUntil, s.lastId = bot.registrationId, bot.on, bot.watchedUntil, bot.lastId
if s.registrationId == turn.registrationId and not s.pushCursor then return { 'OFF' } end
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.pushPending)

local ownFrom = settleUnits(turn, ARGV, 12, tonumber(ARGV[11]))
local requests, wanted, ofTaken = requestsOf(turn, ARGV, ownFrom), ARGV[ownFrom + 4], ARGV[ownFrom + 5]
local isStale = tonumber(bot.revision) > tonumber(ARGV[ownFrom + 6])
keepAttempts(turn, s, KEYS[10], KEYS[11], ARGV, ownFrom + 7)
local openUntil, closed, opened = judgeBackend(turn, s, requests)
-- The turn's process may not know yet that the program was paused.
local active = s.on == '1' and s.isWanted == '1' and string.find(',' .. (bot.programs or '') .. ',', ',' .. id .. ',', 1, true) ~= nil
local hopeless = active and isHopeless(turn, s, requests) or 0
if requests.succeeded then redis.call('HDEL', program, 'parkedAt', 'parkedFor') end

local function isWanted(found)
  if s.hasDeliveredAhead and redis.call('SISMEMBER', deliveredByPush, idTextOf(found)) == 1 then return false end
  if not isMarked(found) then return isOfKind(wanted, kindOf(found)) end
  local entry = fieldsOf(found)
  -- An update that the program took exclusively is its own, even if it no longer wants that kind.
  return isFor(entry, id) and isOfKind(entry.owner and ofTaken or wanted, entry.kind)
end

local cursor, more = tonumber(s.pushCursor), false
if active and isStale then
  -- It would pass over updates of a kind that the program got meanwhile.
  more = true
elseif active then
  cursor, more = fileNewEntries(turn, s, isWanted)
  if s.hasDeliveredAhead and not more then
    redis.call('DEL', deliveredByPush)
    redis.call('HDEL', program, '@hasDeliveredAhead')
  end
else
  turn.limit = 0
end

local answer = closeBackendTurn(turn, s, {
  fencingToken = fencingToken, active = active, cursor = cursor, more = more, openUntil = openUntil,
  hopeless = hopeless, closed = closed, opened = opened,
})
if active and isStale then answer[6][1] = 2 end
return answer
