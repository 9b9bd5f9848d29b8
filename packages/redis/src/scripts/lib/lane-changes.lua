-- Changes of a call to its lanes are kept in the turn and written together, by writeLanes.
-- @include state
-- @include lanes
-- Far fewer than Lua can pass to a command.
local FORGOTTEN_AT_ONCE = 1000

-- Returns the turn with
--   filing: ids to be filed, by lane, and filingLanes: these lanes in order
--   heads: ids at the heads of lanes, where they are known
--   due: when lanes are due (ms), false for those that are empty now; forgotten: fields of work to be removed
-- Numbers for commands are texts where they can be (textOf in lib/state.lua).
local function withLanes(turn)
  turn.filing, turn.filingLanes = {}, {}
  turn.heads, turn.due, turn.forgotten = {}, {}, {}
  return turn
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
