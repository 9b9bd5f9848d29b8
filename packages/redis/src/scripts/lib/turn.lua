-- Common to a call of a turn of push, of a program and of rules. Each has one owner, a cursor in the log, independent lanes, and
-- a count of attempts for each unit.
-- @keys state, log, lanes, inFlight, work, redriven, history, pendingTurns, consumers, attempts, live, failing
-- @args registrationId: text
--   fencingToken: digits?  of the turn; absent: the turn begins
--   botId: digits
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
-- @include clock
-- @include lane-changes
local TURN_CHARACTERS, NUMBERED_CHARACTERS = 8, 15

-- Shared by the functions of a call; reader: 'push', 'rules' or 'program:<id>'; names: the stored names of its
-- fencingToken, claim, suspect and floor; readerState: the hash that has them (the state, or that of a program).
local function openTurn(reader, names, keys, args, readerState)
  local now = serverNow()
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
    attempts = keys.attempts,
    live = keys.live,
    failing = keys.failing,
    registrationId = args.registrationId,
    fencingToken = args.fencingToken,
    now = now,
    nowText = textOf(now),
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
    -- How many updates this call settled so; givenUp: those that became dead letters.
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
