-- Settles the units that a turn has handled.
-- @args from turn
--   ...settled lane: text, id: text  of its first update in the lane
--     members: number  how many updates leave the lane with it
--     outcome: delivered|dropped|retry|waits|dead|crashed|returned
--     dueInMs: number?  for retry, waits and crashed
--     json: text  of the record for retry, of the failure for dead
-- @include turn
-- @include give-up
local LEAVES_LANE = { delivered = true, dropped = true, dead = true }

-- Returns whether the unit was at the head of its lane.
local function settleUnit(turn, lane, id, members, outcome, dueIn, text)
  local ids = redis.call('LRANGE', turn.lanePrefix .. lane, '0', textOf(members))
  -- A newer owner may have settled this unit already.
  if ids[1] ~= id then return false end
  if LEAVES_LANE[outcome] then
    local behind = table.remove(ids, members + 1)
    if outcome == 'dead' then
      local failure = cjson.decode(text)
      for _, one in ipairs(ids) do
        giveUp(turn, one, failure)
      end
    end
    leaveLane(turn, lane, ids)
    if outcome == 'delivered' then turn.delivered = turn.delivered + members end
    turn.heads[lane] = behind
    turn.due[lane] = behind and turn.nowText or false
  elseif outcome == 'returned' then
    redis.call('HINCRBY', turn.work, 's:' .. id, -1)
    turn.due[lane] = turn.nowText
  elseif outcome == 'crashed' then
    turn.due[lane] = turn.now + dueIn
  else
    redis.call('HDEL', turn.work, 's:' .. id)
    -- A unit that only waits was not tried: its record stays.
    if outcome == 'retry' then
      redis.call('HSET', turn.work, 'r:' .. id, text)
      turn.retried = turn.retried + members
    end
    turn.due[lane] = turn.now + dueIn
  end
  return true
end

-- Settles the units in the arguments `first` to `last`.
local function settleUnits(turn, args, first, last)
  if turn.repeated or first > last then return end
  local lanes = {}
  for at in each(settled, first, last) do
    local lane, id, members, outcome = settled.lane[at], settled.id[at], settled.members[at], settled.outcome[at]
    if settleUnit(turn, lane, id, members, outcome, settled.dueInMs[at], settled.json[at]) then
      lanes[#lanes + 1] = lane
    end
  end
  if #lanes > 0 then redis.call('HDEL', turn.inFlight, unpack(lanes)) end
  writeLanes(turn)
end
