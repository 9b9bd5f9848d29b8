-- @include turn
-- @include dead-letter

-- Makes an update of a unit a dead letter; failure as addDeadLetter takes it. A replayed copy becomes none: it has had its attempt.
local function giveUp(turn, id, failure)
  local entry = readEntry(turn, id)
  if not entry or entry.copy then return end
  local origin = { bot = turn.botId, registration = turn.registrationId, now = turn.now, reader = turn.reader }
  addDeadLetter(turn.history, origin, entry, failure)
  turn.givenUp = turn.givenUp + 1
  if redis.call('ZADD', turn.pendingTurns, 'NX', turn.now, 'history') == 1 then turn.wakeHistory = 1 end
end
