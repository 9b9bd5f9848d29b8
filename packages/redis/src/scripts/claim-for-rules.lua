-- One call of a rules turn: settles units, files matched updates into lanes, returns new updates, claims what is due.
-- The members of an album leave their lane together.
-- @keys from turn
-- @args from outcomes
--   gatherMs: number  how long to wait for an album
--   matchedTo: number?  the id up to which the caller matched rules
--   matched: number  how many updates that were
--   ...filed lane: text, id: digits  of an update to route
--     album: text  '' when it is in none
-- @reply from close-turn
--   OK shownTo: number?  newest id returned
--     revision: number  of the configuration
--     shown: shown[]
-- @row shown id: number, lane: text, kind: text, raw: text
-- @include turn
-- @include settle
-- @include claim
-- @include close-turn
-- @include outcomes
local LOOK_AT_ONCE = 100

local FIELDS =
  { fencingToken = '@rulesFencingToken', claim = '@rulesClaim', suspect = '@rulesSuspect', floor = '@rulesFloor' }
local turn = openTurn('rules', FIELDS, KEYS, ARGV)
-- @read s <- turn.state: registrationId, on, rules as isWanted, rulesFencingToken as fencingToken, rulesClaim as claim,
--   rulesSuspect as suspect, rulesCursor, rulesUnread, rulesPending, revision, lastId, watchedUntil
local fencingToken, refusal = ownTurn(turn, s)
if not fencingToken then return { refusal } end
turn.pending = tonumber(s.rulesPending)
local cursor, unread = tonumber(s.rulesCursor), tonumber(s.rulesUnread)

settleUnits(turn, ARGV, span(settled))
keepAttempts(turn, s, ARGV)
keepHits(turn, ARGV)
for at in each(filed) do
  local lane, id, album = filed.lane[at], filed.id[at], filed.album[at]
  if tonumber(id) > cursor then
    if album ~= '' then redis.call('HSET', turn.work, 'g:' .. id, album) end
    fileInLane(turn, lane, id)
  end
end
fileInLanes(turn)
if matchedTo and matchedTo > cursor then
  cursor = matchedTo
  unread = math.max(0, unread - matched)
end

local active, shownTo, shown, units = s.on == '1', '', {}, {}
if active then
  local isNew = tonumber(s.lastId) > cursor
  for _, found in ipairs(isNew and redis.call('XRANGE', turn.log, '(' .. cursor, '+', 'COUNT', LOOK_AT_ONCE) or {}) do
    local entry = fieldsOf(found)
    shownTo = entry.id
    -- An update that another reader gets again was routed when it came.
    if not entry.again and isForRules(entry.kind, entry.mark) then
      shown[#shown + 1] = { fields.shown { id = entry.id, lane = entry.lane, kind = entry.kind, raw = entry.raw } }
    end
  end
  units = claimDue(turn, s.suspect, gatherMs)
end
change(turn, '@rulesCursor', cursor)
change(turn, '@rulesUnread', unread)
change(turn, '@rulesPending', turn.pending)
local answer = closeTurn(turn, {
  fencingToken = fencingToken,
  active = active,
  cursor = cursor,
  more = shownTo ~= '',
  openUntil = 0,
  units = units,
  answer = { fields.OK { shownTo = shownTo, revision = tonumber(s.revision), shown = shown } },
})
countOutcomes(turn, ARGV)
return answer
