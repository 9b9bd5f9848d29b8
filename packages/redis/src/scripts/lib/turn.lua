-- What one call of a turn of push, of a program and of rules share. Each has one owner, a cursor in the log, independent lanes, and
-- a count of attempts for each unit.
-- @keys state, log, lanes, inFlight, work, redriven, history, pendingTurns, consumers
-- @args registrationId: text
--   fencingToken: digits?  of the turn; absent: the turn begins
--   nowMs: digits, botId: digits
--   lanePrefix: text  of the keys of lanes
--   limit: number  how many units to claim
--   trims: flag  the log
--   begunAtMost: number  how often handling a unit may begin without ending
--   ending: idle|asleep|hold?  idle removes the pending turn when nothing waits, asleep also when all that waits is due later;
--       hold keeps it when nothing waits, and tells the caller so
--   claim: text  its name: 8 characters of the turn, 7 digits for its number within the turn, 2 for how often it was sent. A
--       caller that lost the reply sends it again, and nothing is done twice
-- @reply
--   GONE, FENCED
--   OFF  a turn begins for nothing
--   LATE  a copy that arrives after a later one
--   OK fencingToken: number
--     lookAtMs: number?  when to look again; absent when nothing is due later
--     wakeHistory: flag, ended: flag, held: flag  the pending turn was removed, or is held
--     units: unit[]  as lib/claim.lua says
-- @include state
-- @include trim
-- @include lanes
-- @include pending
-- Far fewer than Lua can pass to a command.
local FORGOTTEN_AT_ONCE = 1000
-- The floor of a reader with many lanes passes so many entries in a trim: more than its turn hands over between two (turn-limits.ts).
local FLOOR_ENTRIES_AT_ONCE = 1000
local FLOOR_BYTES_AT_ONCE = 4194304
local TURN_CHARACTERS, NUMBERED_CHARACTERS = 8, 15

-- What a call changes in its lanes is kept in the turn and written together, by writeLanes. Returns the turn with
--   filing: ids to be filed, by lane, and filingLanes: these lanes in order
--   heads: ids at the heads of lanes, where they are known
--   due: when lanes are due (ms), false for those that are empty now; forgotten: fields of work to be removed
-- Numbers for commands are texts where they can be (textOf in lib/state.lua).
local function withLanes(turn)
  turn.filing, turn.filingLanes = {}, {}
  turn.heads, turn.due, turn.forgotten = {}, {}, {}
  return turn
end

-- What the functions of a call share; reader: 'push', 'rules' or 'program:<id>'; names: the stored names of its
-- fencingToken, claim, suspect and floor; readerState: the hash that has them (the state, or that of a program).
local function openTurn(reader, names, keys, args, readerState)
  return withLanes({
    reader = reader,
    fields = names,
    readerState = readerState or keys.state,
    state = keys.state,
    log = keys.log,
    lanes = keys.lanes,
    inFlight = keys.inFlight,
    work = keys.work,
    redriven = keys.redriven,
    history = keys.history,
    pendingTurns = keys.pendingTurns,
    consumers = keys.consumers,
    registrationId = args.registrationId,
    fencingToken = args.fencingToken,
    now = tonumber(args.nowMs),
    nowText = args.nowMs,
    botId = args.botId,
    lanePrefix = args.lanePrefix,
    limit = args.limit,
    trims = args.trims,
    begunAtMost = args.begunAtMost,
    ending = args.ending,
    claim = args.claim,
    -- pending: units that wait in lanes; repeated: this claim was made before; halted: all lanes wait for one unit.
    pending = 0,
    repeated = false,
    halted = false,
    wakeHistory = 0,
    changes = {},
    -- How many updates this call settled so, for the activity; givenUp: those that became dead letters.
    delivered = 0,
    retried = 0,
    givenUp = 0,
    -- Entries of the log that this call has filed, by id: nothing is known of them in work.
    fresh = {},
  })
end

-- Fields of the reader are written together, by closeTurn.
local function change(turn, field, value)
  addField(turn.changes, field, value)
end

-- The reply to this claim was lost, so nobody handles its units: undo the claim and its attempt count.
local function returnUnits(turn)
  local out = redis.call('HGETALL', turn.inFlight)
  for i = 1, #out, 2 do
    if string.sub(out[i + 1], 1, NUMBERED_CHARACTERS) == string.sub(turn.claim, 1, NUMBERED_CHARACTERS) then
      local id = redis.call('LINDEX', turn.lanePrefix .. out[i], 0)
      if id then redis.call('HINCRBY', turn.work, 's:' .. id, -1) end
      redis.call('ZADD', turn.lanes, 'XX', 0, out[i])
      redis.call('HDEL', turn.inFlight, out[i])
    end
  end
end

-- Makes the caller the owner, or confirms that it still is: the fencing token, or nil and the reason.
--   s: the state, with registrationId, on, and of this reader isWanted, fencingToken, claim
local function ownTurn(turn, s)
  local token = s.fencingToken
  if s.registrationId ~= turn.registrationId then return nil, 'GONE' end
  if turn.fencingToken ~= '' and token ~= turn.fencingToken then return nil, 'FENCED' end
  local known = s.claim or ''
  if string.sub(known, 1, TURN_CHARACTERS) == string.sub(turn.claim, 1, TURN_CHARACTERS) and turn.claim <= known then
    -- The network kept it, and delivered it after the turn had sent it again over another connection.
    return nil, 'LATE'
  end
  change(turn, turn.fields.claim, turn.claim)
  if string.sub(known, 1, NUMBERED_CHARACTERS) == string.sub(turn.claim, 1, NUMBERED_CHARACTERS) then
    turn.repeated, turn.limit, turn.wakeHistory = true, 0, 1
    returnUnits(turn)
    return tonumber(token)
  end
  if turn.fencingToken ~= '' then return tonumber(turn.fencingToken) end
  if s.on ~= '1' or s.isWanted ~= '1' then return nil, 'OFF' end
  restoreInFlight(turn.lanes, turn.inFlight)
  return redis.call('HINCRBY', turn.readerState, turn.fields.fencingToken, 1)
end

-- An entry of the log, or a redriven update; nil when it is gone.
local function readEntry(turn, id)
  if string.sub(id, 1, 1) ~= 'r' then
    local entry = turn.fresh[id] or entryAt(turn.log, id)
    return entry and unitOf(entry)
  end
  local text = redis.call('HGET', turn.redriven, id)
  return text and cjson.decode(text)
end

-- The update (its id as a text) goes to the end of the lane, when fileInLanes is called.
local function fileInLane(turn, lane, id)
  local ids = turn.filing[lane]
  if ids then
    ids[#ids + 1] = id
  else
    turn.filing[lane], turn.filingLanes[#turn.filingLanes + 1] = { id }, lane
  end
end

local function fileInLanes(turn)
  for _, lane in ipairs(turn.filingLanes) do
    local ids = turn.filing[lane]
    if redis.call('RPUSH', turn.lanePrefix .. lane, unpack(ids)) == #ids then
      turn.heads[lane], turn.due[lane] = ids[1], turn.nowText
    end
    turn.pending = turn.pending + #ids
  end
  turn.filing, turn.filingLanes = {}, {}
end

local function forgetWork(turn)
  if #turn.forgotten > 0 then redis.call('HDEL', turn.work, unpack(turn.forgotten)) end
  turn.forgotten = {}
end

-- These ids, the first ones of the lane, leave it. The caller says when it is due again.
local function leaveLane(turn, lane, ids)
  redis.call('LPOP', turn.lanePrefix .. lane, textOf(#ids))
  local forgotten = turn.forgotten
  for _, id in ipairs(ids) do
    addField(forgotten, 's:' .. id, 'r:' .. id)
    addField(forgotten, 'p:' .. id, 'g:' .. id)
    if string.sub(id, 1, 1) == 'r' then redis.call('HDEL', turn.redriven, id) end
  end
  if #turn.forgotten > FORGOTTEN_AT_ONCE then forgetWork(turn) end
  turn.heads[lane] = nil
  turn.pending = turn.pending - #ids
end

-- The lane's head is due at that time (ms); an empty lane goes.
local function dueAgain(turn, lane, at)
  turn.due[lane] = redis.call('EXISTS', turn.lanePrefix .. lane) == 1 and at
end

local function writeLanes(turn)
  local due, empty = {}, {}
  for lane, at in pairs(turn.due) do
    if at then
      addField(due, at, lane)
    else
      empty[#empty + 1] = lane
    end
  end
  if #due > 0 then redis.call('ZADD', turn.lanes, unpack(due)) end
  if #empty > 0 then redis.call('ZREM', turn.lanes, unpack(empty)) end
  turn.due = {}
  forgetWork(turn)
end

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

-- Writes the state, removes the pending turn if the caller asked for it, and returns the answer. found: fencingToken;
--   active: whether the reader may claim units; cursor: up to where the log is read; more: whether there is more to
--   read; openUntil: when to look again at the earliest (0 at once); answer: the reader's own part; units
local function closeTurn(turn, found)
  writeLanes(turn)
  local first, lookAt = redis.call('ZRANGE', turn.lanes, '0', '0', 'WITHSCORES'), ''
  if #first == 2 and tonumber(first[2]) < IN_FLIGHT_SCORE and found.active and not turn.halted then
    lookAt = first[2]
  end
  -- No append wakes a turn while the breaker is open, so the turn reads the log when it may probe, whatever is due then.
  local isOpen = found.active and found.openUntil > turn.now
  if lookAt ~= '' and (isOpen or tonumber(lookAt) < found.openUntil) then lookAt = tostring(found.openUntil) end
  if #first == 0 then
    setFloor(turn, tostring(found.cursor))
  elseif turn.trims then
    setFloor(turn, risenFloor(turn, redis.call('HGET', turn.readerState, turn.fields.floor), found.cursor))
  end
  writeState(turn.readerState, turn.changes)
  local nothing = not found.active
    or #first == 0
    or (turn.ending == 'asleep' and lookAt ~= '' and tonumber(lookAt) > turn.now)
  local ended = turn.ending ~= '' and nothing and #found.units == 0 and not found.more
  -- A program whose breaker is open keeps its pending turn: an append then finds nothing to wake. So does a reader whose
  -- lanes are empty, because no turn sleeps until its next probe.
  local member = turn.botId .. ':' .. turn.reader
  local holds = ended and turn.ending == 'hold' and found.active and not isOpen
  if holds then
    holdTurn(turn.pendingTurns, member, turn.now)
  elseif ended and isOpen and (isProgram(turn.reader) or #first == 0) then
    endPending(turn.pendingTurns, member)
    redis.call('ZADD', turn.pendingTurns, found.openUntil, member)
  elseif ended then
    endPending(turn.pendingTurns, member)
  end
  if (ended and not holds) or turn.trims then trimLog(turn.state, turn.log, turn.consumers, turn.now) end
  return reply.OK {
    fencingToken = found.fencingToken,
    lookAtMs = lookAt,
    wakeHistory = turn.wakeHistory,
    ended = ended and not holds,
    held = holds,
    units = found.units,
    unpack(found.answer),
  }
end
