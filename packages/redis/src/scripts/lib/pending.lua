-- Pending turns of a shard: a sorted set of turns (`<bot>:push`, `<bot>:program:<id>`, `<bot>:rules`) by the time (ms) since
-- which each has work. A turn that a worker holds has a member of its own, `held:<turn>`, by the time (ms) until which the
-- worker holds it at most; the worker is told of work by the name of the turn.
-- @include state
local HELD = 'held:'
-- Longer than a worker holds a turn that has nothing to do.
local HELD_AT_MOST_MS = 120000
local DOUBTFUL_AFTER_MS = 60000

-- True if no worker may come: pending for over a minute, or since a time that only a wrong clock can have written. A breaker
-- that is open writes a time ahead, but no farther than its next probe.
local function isDoubtful(since, now)
  return since < now - DOUBTFUL_AFTER_MS or since > now + LONGEST_PROBE_MS + CLOCKS_DIFFER_MS
end

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
-- the names of those that are held. now: a text (ms)
local function makePending(pendingTurns, turns, now)
  local toWake, isRunning, held, names, changes = {}, false, {}, {}, {}
  if #turns == 0 then return toWake, isRunning, held end
  for _, turn in ipairs(turns) do
    addField(names, turn, HELD .. turn)
  end
  local scores = redis.call('ZMSCORE', pendingTurns, unpack(names))
  for i, turn in ipairs(turns) do
    local since, isHeld = tonumber(scores[i * 2 - 1] or nil), scores[i * 2]
    if isHeld then
      held[#held + 1] = turn
    elseif not since or isDoubtful(since, tonumber(now)) then
      toWake[turn], since = true, nil
    else
      isRunning = true
    end
    if not since then addField(changes, now, turn) end
  end
  if #changes > 0 then redis.call('ZADD', pendingTurns, unpack(changes)) end
  return toWake, isRunning, held
end

-- Tells the workers that hold these turns.
local function tellHeld(held)
  if #held > 0 then redis.call('PUBLISH', 'flotilla:turn-news', table.concat(held, ' ')) end
end
