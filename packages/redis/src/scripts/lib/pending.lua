-- Pending turns of a shard: a sorted set of turns (`<bot>:push`, `<bot>:program:<id>`, `<bot>:rules`) by the time (ms) since
-- which each is pending. A fraction in the time says that a worker holds the turn; it is told of work by the turn's name.
-- The time of a held turn without work lies in the future.
-- @include state
local HELD = '.5'
-- Longer than a worker holds a turn that has nothing to do.
local HELD_AT_MOST_MS = 120000
local DOUBTFUL_AFTER_MS = 60000

local function isHeld(since)
  return since % 1 ~= 0
end

-- Whether a pending turn may have nobody: its wake was lost a minute ago, while a turn from before still sleeps, or a wrong clock
-- wrote it. That of an open breaker lies ahead, but no farther than a probe.
local function isDoubtful(since, now)
  return since < now - DOUBTFUL_AFTER_MS or since > now + LONGEST_PROBE_MS + CLOCKS_DIFFER_MS
end

-- Records that the calling worker continues to hold this turn, which has nothing to do.
local function holdTurn(pendingTurns, turn, now)
  redis.call('ZADD', pendingTurns, (now + HELD_AT_MOST_MS) .. HELD, turn)
end

-- These turns have work from now on. Returns the set of those that must be woken, whether one runs that is not held, and
-- the names of those that are held. now: a text (ms); told: a turn that the caller tells itself; it counts as neither.
local function makePending(pendingTurns, turns, now, told)
  local toWake, isRunning, held, changes = {}, false, {}, {}
  if #turns == 0 then return toWake, isRunning, held end
  for i, score in ipairs(redis.call('ZMSCORE', pendingTurns, unpack(turns))) do
    local since, pendingFrom = score and tonumber(score), nil
    if not since or (not isHeld(since) and isDoubtful(since, tonumber(now))) then
      toWake[turns[i]], pendingFrom = true, now
    elseif isHeld(since) then
      if turns[i] ~= told then held[#held + 1] = turns[i] end
      if since > tonumber(now) then pendingFrom = now .. HELD end
    elseif turns[i] ~= told then
      isRunning = true
    end
    if pendingFrom then changes[#changes + 1], changes[#changes + 2] = pendingFrom, turns[i] end
  end
  if #changes > 0 then redis.call('ZADD', pendingTurns, unpack(changes)) end
  return toWake, isRunning, held
end

-- Tells the workers that hold these turns.
local function tellHeld(held)
  if #held > 0 then redis.call('PUBLISH', 'flotilla:pushable', table.concat(held, ' ')) end
end
