-- Pending turns of a shard: a sorted set of turns (`<bot>:push`, `<bot>:program:<id>`, `<bot>:rules`) by the time (ms) since
-- which each has work. A turn that a worker holds has a member of its own, `held:<turn>`, by the time (ms) until which the
-- worker holds it at most; the worker is told of work by the name of the turn.
-- @include state
local HELD = '@heldTurn'
-- Longer than a worker holds a turn that has nothing to do.
local HELD_AT_MOST_MS = 120000
-- Of a turn that is pending for longer no worker may come: its wake was lost. An open breaker writes the time of its next probe.
local DOUBTFUL_AFTER_MS = 60000

-- The calling worker holds this turn, which has nothing to do.
local function holdTurn(pendingTurns, turn, now)
  redis.call('ZREM', pendingTurns, turn)
  redis.call('ZADD', pendingTurns, now + HELD_AT_MOST_MS, HELD .. turn)
end

-- This turn has nothing to do, and nobody holds it.
local function endPending(pendingTurns, turn)
  redis.call('ZREM', pendingTurns, turn, HELD .. turn)
end

-- These turns have work from now on. Returns the set of those that must be woken, whether one runs that is not held, and
-- the names of those that are held.
local function makePending(pendingTurns, turns, now)
  local toWake, isRunning, held, names, changes = {}, false, {}, {}, {}
  if #turns == 0 then return toWake, isRunning, held end
  local nowText = textOf(now)
  for _, turn in ipairs(turns) do
    addField(names, turn, HELD .. turn)
  end
  local scores = redis.call('ZMSCORE', pendingTurns, unpack(names))
  for i, turn in ipairs(turns) do
    local since, isHeld = tonumber(scores[i * 2 - 1] or nil), scores[i * 2]
    if isHeld then
      held[#held + 1] = turn
    elseif not since or since < now - DOUBTFUL_AFTER_MS then
      toWake[turn], since = true, nil
    else
      isRunning = true
    end
    if not since then addField(changes, nowText, turn) end
  end
  if #changes > 0 then redis.call('ZADD', pendingTurns, unpack(changes)) end
  return toWake, isRunning, held
end

-- Tells the workers that hold these turns.
local function tellHeld(held)
  if #held > 0 then redis.call('PUBLISH', '@channels.turnNews', table.concat(held, ' ')) end
end
