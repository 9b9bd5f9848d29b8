-- Claims what is due, one unit a lane.
-- @include turn
-- @include unit
-- The records of updates at the heads of lanes are read in one command. due: lanes, each followed by its time
local function readHeads(turn, due)
  local ids, fields = {}, {}
  for i = 1, #due, 2 do
    local lane = due[i]
    local id = turn.heads[lane] or redis.call('LINDEX', turn.lanePrefix .. lane, '0')
    if id and not turn.fresh[id] then ids[#ids + 1] = id end
    turn.heads[lane] = id or nil
  end
  turn.known = {}
  if #ids == 0 then return end
  for _, id in ipairs(ids) do
    addField(fields, 'r:' .. id, 'p:' .. id)
    addField(fields, 'g:' .. id, 's:' .. id)
  end
  local found = redis.call('HMGET', turn.work, unpack(fields))
  for at, id in ipairs(ids) do
    turn.known[id] = { unpack(found, at * 4 - 3, at * 4) }
  end
end

-- The lanes that are due, each followed by its time: at most turn.limit.
local function dueLanes(turn)
  writeLanes(turn)
  return redis.call('ZRANGEBYSCORE', turn.lanes, '-inf', turn.nowText, 'WITHSCORES', 'LIMIT', '0', textOf(turn.limit))
end

-- Claims up to turn.limit units. A unit whose owner died twice gets its last attempt alone, so that no other unit is blamed
-- for a crash. suspect: the lane of such a unit, '' or nil when there is none.
local function claimDue(turn, suspect, gatherMs)
  local units = {}
  if suspect and suspect ~= '' then
    turn.halted = redis.call('HEXISTS', turn.inFlight, suspect) == 1
    if not turn.halted then change(turn, turn.fields.suspect, '') end
  end
  if turn.halted or turn.limit <= 0 then return units end
  turn.removed = turn.givenUp
  local due, claimed, begun = dueLanes(turn), {}, {}
  readHeads(turn, due)
  for i = 1, #due, 2 do
    local lane = due[i]
    local unit, times, id = headOf(turn, lane, gatherMs)
    if not unit then
      dueAgain(turn, lane, times or turn.now)
    else
      local isSuspect = times == turn.begunAtMost and tonumber(due[i + 1]) == 0
      if isSuspect and (#units > 0 or redis.call('EXISTS', turn.inFlight) == 1) then
        turn.halted = true
        break
      end
      turn.due[lane] = IN_FLIGHT_TEXT
      addField(claimed, lane, turn.claim)
      addField(begun, 's:' .. id, textOf(times))
      units[#units + 1] = unit
      if isSuspect then
        change(turn, turn.fields.suspect, lane)
        turn.halted = true
        break
      end
    end
  end
  if #units > 0 then
    redis.call('HSET', turn.inFlight, unpack(claimed))
    redis.call('HSET', turn.work, unpack(begun))
  end
  return units
end
