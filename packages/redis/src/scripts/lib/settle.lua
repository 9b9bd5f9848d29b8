-- Settles the units that a turn has handled. Each has six arguments: lane, id of its first update in the lane, how many
-- updates leave the lane with it, outcome ('delivered' | 'dropped' | 'retry' | 'dead' | 'crashed' | 'returned'), due at (ms, for retry and
-- crashed), JSON of the record (for retry) or of the failure (for dead).
-- @include turn
-- @include bury
local SETTLED_FIELDS = 6
local LEAVES_LANE = { delivered = true, dropped = true, dead = true }

-- Returns whether the unit was at the head of its lane.
local function settleUnit(turn, lane, id, members, outcome, dueAt, text)
  local ids = redis.call('LRANGE', turn.lanePrefix .. lane, '0', textOf(members))
  -- A newer owner may have settled this unit already.
  if ids[1] ~= id then return false end
  if LEAVES_LANE[outcome] then
    local behind = table.remove(ids, members + 1)
    if outcome == 'dead' then
      local failure = cjson.decode(text)
      for _, one in ipairs(ids) do bury(turn, one, failure) end
    end
    leaveLane(turn, lane, ids)
    if outcome == 'delivered' then turn.delivered = turn.delivered + members end
    turn.heads[lane] = behind
    turn.due[lane] = behind and turn.nowText or false
  elseif outcome == 'returned' then
    redis.call('HINCRBY', turn.work, 's:' .. id, -1)
    turn.due[lane] = turn.nowText
  elseif outcome == 'crashed' then
    turn.due[lane] = dueAt
  else
    redis.call('HDEL', turn.work, 's:' .. id)
    redis.call('HSET', turn.work, 'r:' .. id, text)
    turn.retried = turn.retried + members
    -- The platform may ask rules to wait for longer. Until then the lane is looked at once an hour.
    turn.due[lane] = math.min(dueAt, turn.now + LONGEST_WAIT_MS)
  end
  return true
end

-- Settles count units, whose arguments begin at args[from]; returns the index of the next argument.
local function settleUnits(turn, args, from, count)
  local behind = from + count * SETTLED_FIELDS
  if turn.repeated or count == 0 then return behind end
  local lanes = {}
  for at = from, behind - 1, SETTLED_FIELDS do
    local lane, id, members, dueAt = args[at], args[at + 1], tonumber(args[at + 2]), tonumber(args[at + 4])
    if settleUnit(turn, lane, id, members, args[at + 3], dueAt, args[at + 5]) then lanes[#lanes + 1] = lane end
  end
  if #lanes > 0 then redis.call('HDEL', turn.inFlight, unpack(lanes)) end
  writeLanes(turn)
  return behind
end
