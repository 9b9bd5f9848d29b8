-- The end of a call of a turn.
-- @reply from turn
--   OK fencingToken: number
--     lookInMs: number?  when to look again; absent when nothing is due later
--     wakeHistory: flag, ended: flag, held: flag  the pending turn was removed, or is held
--     units: unit[]  as lib/unit.lua says
-- @include turn
-- @include trim
-- @include pending
-- The floor of a reader with many lanes passes so many entries in a trim: more than its turn hands over between two (turn-limits.ts).
local FLOOR_ENTRIES_AT_ONCE = 1000
local FLOOR_BYTES_AT_ONCE = 4194304

-- Returns the new floor of the reader: nothing of the log up to it waits in its lanes. With many lanes it rises along the log, by a
-- part in each call. oldFloor: the stored one; cursor: up to where the log is filed
local function risenFloor(turn, oldFloor, cursor)
  if redis.call('ZCARD', turn.lanes) <= LANES_LOOKED_AT then
    return (lowestPending(turn.lanes, turn.lanePrefix) or cursor + 1) - 1
  end
  local floor, passed, bytes = tonumber(oldFloor or 0), 0, 0
  while passed < FLOOR_ENTRIES_AT_ONCE and bytes < FLOOR_BYTES_AT_ONCE do
    local page = redis.call('XRANGE', turn.log, '(' .. floor, cursor, 'COUNT', PASSED_PAGE)
    for _, entry in ipairs(page) do
      local id, lowest = idOf(entry), lowestInLane(turn.lanePrefix .. laneOf(entry))
      if lowest and lowest <= id then return id - 1 end
      floor, passed, bytes = id, passed + 1, bytes + #rawOf(entry)
    end
    if #page < PASSED_PAGE then return cursor end
  end
  return floor
end

-- The consumer of a program has its floor, so that everything that trims the log knows it.
local function setFloor(turn, floor)
  change(turn, turn.fields.floor, floor)
  if isProgram(turn.reader) then redis.call('HSET', turn.consumers, turn.reader, floor .. ' ' .. turn.now) end
end

-- When (ms) to look again; nil when nothing is due later. first: the lane that is due first, and its time
local function nextLook(turn, found, first)
  local dueAt = tonumber(first[2])
  if not dueAt or dueAt >= IN_FLIGHT_SCORE or not found.active or turn.halted then return nil end
  -- No append wakes a turn while the breaker is open, so the turn reads the log when it may probe, whatever is due then.
  return found.openUntil > turn.now and found.openUntil or math.max(dueAt, found.openUntil)
end

-- Ends the pending turn, or holds it if the caller asked for that. isEmpty: no lane has anything. Returns whether it is held.
local function endTurn(turn, found, isEmpty)
  local member, isOpen = turn.botId .. ':' .. turn.reader, found.active and found.openUntil > turn.now
  if turn.ending == 'hold' and found.active and not isOpen then
    holdTurn(turn.pendingTurns, member, turn.now)
    return true
  end
  endPending(turn.pendingTurns, member)
  -- A program whose breaker is open keeps its pending turn: an append then finds nothing to wake. So does a reader whose
  -- lanes are empty, because no turn sleeps until its next probe.
  if isOpen and (isProgram(turn.reader) or isEmpty) then
    redis.call('ZADD', turn.pendingTurns, found.openUntil, member)
  end
  return false
end

-- Writes the state, removes the pending turn if the caller asked for it, and returns the answer. found: fencingToken;
--   active: whether the reader may claim units; cursor: up to where the log is read; more: whether there is more to
--   read; openUntil: when to look again at the earliest (0 at once); answer: the reader's own part; units
local function closeTurn(turn, found)
  writeLanes(turn)
  local first = redis.call('ZRANGE', turn.lanes, '0', '0', 'WITHSCORES')
  local isEmpty, lookAt = #first == 0, nextLook(turn, found, first)
  if isEmpty then
    setFloor(turn, tostring(found.cursor))
  elseif turn.trims then
    setFloor(turn, risenFloor(turn, redis.call('HGET', turn.readerState, turn.fields.floor), found.cursor))
  end
  writeState(turn.readerState, turn.changes)
  local isIdle = not found.active or isEmpty or (turn.ending == 'asleep' and lookAt ~= nil and lookAt > turn.now)
  local ends = turn.ending ~= '' and isIdle and #found.units == 0 and not found.more
  local held = ends and endTurn(turn, found, isEmpty)
  if (ends and not held) or turn.trims then trimLog(turn.state, turn.log, turn.consumers, turn.now) end
  return reply.OK {
    fencingToken = found.fencingToken,
    lookInMs = lookAt and math.max(0, lookAt - turn.now) or '',
    wakeHistory = turn.wakeHistory,
    ended = ends and not held,
    held = held,
    units = found.units,
    unpack(found.answer),
  }
end
