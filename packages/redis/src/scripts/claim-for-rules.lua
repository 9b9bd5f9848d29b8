-- One call of a rules turn: settles units, files matched updates into lanes, returns new updates, claims what is due.
-- The members of an album leave their lane together.
-- KEYS  as lib/turn.lua says
-- ARGV  as lib/turn.lua says, and after the settled units: how long to wait for an album (ms); the id up to which the
--       caller matched rules ('' none); how many updates that were; then per update to route: lane, id, album ('' when
--       it is in none)
-- RESULT as lib/turn.lua says, with {newest id returned ('' none), revision of the configuration, {id, lane, kind, raw …}}
-- @include turn
-- @include settle
-- @include claim
local LOOK_AT_ONCE = 100

local FIELDS = { fencingToken = '@rulesFencingToken', claim = '@rulesClaim', suspect = '@rulesSuspect', floor = '@rulesFloor' }
local turn = openTurn('rules', FIELDS, KEYS, ARGV)
-- @read s <- turn.state: registrationId, on, rules as isWanted, rulesFencingToken as fencingToken, rulesClaim as claim,
--   rulesSuspect as suspect, rulesCursor, rulesUnread, rulesPending, revision, lastId
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.rulesPending)
local cursor, unread = tonumber(s.rulesCursor), tonumber(s.rulesUnread)

local ownFrom = settleUnits(turn, ARGV, 12, tonumber(ARGV[11]))
local gatherMs, matchedTo, count = tonumber(ARGV[ownFrom]), tonumber(ARGV[ownFrom + 1]), tonumber(ARGV[ownFrom + 2])
for at = ownFrom + 3, #ARGV, 3 do
  local lane, id, album = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if tonumber(id) > cursor then
    if album ~= '' then redis.call('HSET', turn.work, 'g:' .. id, album) end
    fileInLane(turn, lane, id)
  end
end
fileInLanes(turn)
if matchedTo and matchedTo > cursor then
  cursor = matchedTo
  unread = math.max(0, unread - count)
end

local active, shownTo, shown, units = s.on == '1', '', {}, {}
if active then
  local isNew = tonumber(s.lastId) > cursor
  for _, found in ipairs(isNew and redis.call('XRANGE', turn.log, '(' .. cursor, '+', 'COUNT', LOOK_AT_ONCE) or {}) do
    local entry = fieldsOf(found)
    shownTo = entry.id
    -- What another reader gets again was routed when it came.
    if not entry.again and isRoutable(entry.kind) then
      shown[#shown + 1], shown[#shown + 2], shown[#shown + 3], shown[#shown + 4] = entry.id, entry.lane, entry.kind, entry.raw
    end
  end
  units = claimDue(turn, s.suspect, gatherMs)
end
change(turn, '@rulesCursor', cursor)
change(turn, '@rulesUnread', unread)
change(turn, '@rulesPending', turn.pending)
return closeTurn(turn, {
  fencingToken = fencingToken, active = active, cursor = cursor, more = shownTo ~= '', openUntil = 0, units = units,
  answer = { shownTo, tonumber(s.revision), shown },
})
