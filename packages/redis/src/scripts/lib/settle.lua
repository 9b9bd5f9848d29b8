-- Settles the units that a turn has handled. Each has six arguments: lane, id of its first update in the lane, how many
-- updates leave the lane with it, outcome ('delivered' | 'dropped' | 'retry' | 'dead' | 'crashed' | 'returned'), due at (ms, for retry and
-- crashed), JSON of the record (for retry) or of the failure (for dead).
-- @include turn
-- @include bury
local SETTLED_FIELDS = 6
local LEAVES_LANE = { delivered = true, dropped = true, dead = true }

local function settleUnit(turn, lane, id, members, outcome, dueAt, text)
  redis.call('HDEL', turn.inFlight, lane)
  -- A newer owner may have settled this unit already.
  if redis.call('LINDEX', turn.lanePrefix .. lane, 0) ~= id then return end
  if LEAVES_LANE[outcome] then
    local failure = outcome == 'dead' and cjson.decode(text)
    for _ = 1, members do
      if failure then bury(turn, redis.call('LINDEX', turn.lanePrefix .. lane, 0), failure) end
      leaveLane(turn, lane)
    end
    if outcome == 'delivered' then turn.delivered = turn.delivered + members end
    dueAgain(turn, lane, turn.now)
  elseif outcome == 'returned' then
    redis.call('HINCRBY', turn.work, 's:' .. id, -1)
    dueAgain(turn, lane, turn.now)
  elseif outcome == 'crashed' then
    dueAgain(turn, lane, dueAt)
  else
    redis.call('HDEL', turn.work, 's:' .. id)
    redis.call('HSET', turn.work, 'r:' .. id, text)
    turn.retried = turn.retried + members
    dueAgain(turn, lane, dueAt)
  end
end

-- Settles count units, whose arguments begin at args[from]; returns the index of the next argument.
local function settleUnits(turn, args, from, count)
  local behind = from + count * SETTLED_FIELDS
  if turn.repeated then return behind end
  for at = from, behind - 1, SETTLED_FIELDS do
    settleUnit(turn, args[at], args[at + 1], tonumber(args[at + 2]), args[at + 3], tonumber(args[at + 4]), args[at + 5])
  end
  return behind
end
