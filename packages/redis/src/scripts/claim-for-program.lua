-- One call of a program's turn: settles deliveries, files new updates into its lanes, claims what is due.
-- @keys from backend
--   program  its hash; lanes and work are the program's, too
--   deliveredAhead  ids that it had before its cursor went back
-- @args from backend
--   kinds: text  that the program wants, as in read-page
--   takenKinds: text  that its webhook asks for, of what it took alone under other kinds
--   revision: number  of the configuration that these are of
-- @reply from backend
-- @include backend

local id = string.match(program, 'program:(%d+):state$')
local turn = openTurn('program:' .. id, BACKEND_FIELDS, KEYS, ARGV, program)
-- @read bot <- turn.state: registrationId, on, watchedUntil, wokenPrograms, lastId, revision
-- @read s <- program: push as isWanted, pushFencingToken as fencingToken, pushClaim as claim, pushSuspect as suspect,
--   pushCursor, pushCursorCount, pushPending, failingSince, probeIntervalMs, openUntil, goneSince,
--   hasDeliveredAhead
s.registrationId, s.on, s.watchedUntil, s.lastId = bot.registrationId, bot.on, bot.watchedUntil, bot.lastId
if s.registrationId == turn.registrationId and not s.pushCursor then return { 'OFF' } end
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.pushPending)

settleUnits(turn, ARGV, span(settled))
local requests, isStale = requestsOf(turn, ARGV), tonumber(bot.revision) > revision
keepAttempts(turn, s, ARGV)
local openUntil, closed, opened = updateBreaker(turn, s, requests)
-- The turn's process may not know yet that the program was paused.
local active = s.on == '1'
  and s.isWanted == '1'
  and string.find(',' .. (bot.wokenPrograms or '') .. ',', ',' .. id .. ',', 1, true) ~= nil
local hopeless = active and isHopeless(turn, s, requests)
if requests.succeeded then redis.call('HDEL', program, '@parkedAt', '@parkedFor') end

local function isWanted(found)
  if s.hasDeliveredAhead and redis.call('SISMEMBER', deliveredAhead, idTextOf(found)) == 1 then return false end
  if not isMarked(found) then return isOfKind(kinds, kindOf(found)) end
  local entry = fieldsOf(found)
  -- An update that the program took exclusively is its own, even if it no longer wants that kind.
  return isFor(entry, id) and isOfKind(entry.owner and takenKinds or kinds, entry.kind)
end

local cursor, more = tonumber(s.pushCursor), false
if active and isStale then
  -- Filing by an old configuration would skip kinds that the program has been given since.
  more = true
elseif active then
  cursor, more = fileNewEntries(turn, s, isWanted)
  if s.hasDeliveredAhead and not more then
    redis.call('DEL', deliveredAhead)
    redis.call('HDEL', program, '@hasDeliveredAhead')
  end
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
  isStale = active and isStale,
})
countOutcomes(turn, ARGV)
return answer
