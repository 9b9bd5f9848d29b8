-- The effects of switching a bot's own readers on and off on their cursors and lanes. bot: id, registration, now, state, log,
-- history, pendingTurns, deliveredAhead, last, count, and push and rules: the keys of their lanes, with lanePrefix. before:
-- the state, with pull, push, rules, on, isParked and cursors; wanted: pull, push, rules, handsOver, drops
-- @include state
-- @include lanes
-- @include ids
-- @include programs
local PARKED_MS = 3600000
local RULES_REMOVED = { code = 'rules_removed', reason = 'its rules were removed', attempts = 0 }

local function createState(bot)
  -- stylua: ignore
  writeState(bot.state, { '@registrationId', bot.registration, '@lastId', 0, '@allowedCount', 0, '@pull', 0, '@push', 0,
    '@pushKeptUntil', 0, '@pullCursor', 0, '@pullCursorCount', 0, '@keptFrom', 0, '@prevAck', 0, '@prevAckAt', bot.now,
    '@prevOffset', '', '@prevAt', 0, '@pushCursor', 0, '@pushCursorCount', 0, '@pushFloor', 0, '@pushPending', 0,
    '@trimmedAt', bot.now, '@pollOffset', 0, '@pollingFencingToken', 0, '@pushFencingToken', 0, '@run', runId() })
end

local function switchOf(isOn)
  return isOn and '1' or '0'
end

local function pushTurnOf(bot)
  return bot.id .. ':push'
end

-- Push reads on after this id, up to which there were so many allowed updates; no lane has any of them.
local function pushFrom(bot, cursor, count)
  writeState(bot.state, { '@pushCursor', cursor, '@pushCursorCount', count, '@pushFloor', cursor, '@pushPending', 0 })
end

local function pullFrom(bot, cursor, count)
  writeState(bot.state, { '@pullCursor', cursor, '@pullCursorCount', count })
end

-- A turn that runs is not the owner any more, and will not remove its pending turn.
local function fencePush(bot)
  redis.call('HINCRBY', bot.state, '@pushFencingToken', 1)
  redis.call('ZREM', bot.pendingTurns, pushTurnOf(bot))
end

-- drops: what was redriven goes with the rest; otherwise it becomes dead letters again
local function emptyPush(bot, drops)
  local again = clearLanes(bot.push, bot.push.lanePrefix)
  fencePush(bot)
  pushFrom(bot, bot.last, bot.count)
  redis.call('HSET', bot.state, '@pushKeptUntil', 0)
  closeBreaker(bot.state)
  if not drops then giveUpRedriven(bot, 'push', again, BACKEND_REMOVED) end
end

-- Pull continues at push's lowest pending id, without the later updates that push has delivered.
local function handPushToPull(bot, before)
  redis.call('DEL', bot.deliveredAhead)
  local push = bot.push
  local lowest = rememberDeliveredAhead(push.lanes, push.lanePrefix, bot.log, before.pushCursor, bot.deliveredAhead)
  local cursor = math.max(before.pull and before.pullCursor or 0, (lowest or before.pushCursor + 1) - 1)
  pullFrom(bot, cursor, countUpTo(bot.log, cursor, bot.count))
end

-- A program that removes its webhook and sets it again must get the updates from in between.
local function parkPush(bot)
  redis.call('HSET', bot.state, '@pushKeptUntil', bot.now + PARKED_MS)
  fencePush(bot)
  -- Its owner did not die, so this was no attempt.
  for _, lane in ipairs(redis.call('HKEYS', bot.push.inFlight)) do
    local id = redis.call('LINDEX', bot.push.lanePrefix .. lane, 0)
    if id and not isCopy(id) then redis.call('HINCRBY', bot.push.work, 's:' .. id, -1) end
  end
  restoreInFlight(bot.push.lanes, bot.push.inFlight)
end

local function switchPush(bot, before, wanted)
  if wanted.push and not before.push then
    if before.isParked then
      redis.call('HSET', bot.state, '@pushKeptUntil', 0)
      return
    end
    -- A parking that has expired left them: they were given up.
    if redis.call('EXISTS', bot.push.lanes) == 1 then emptyPush(bot, wanted.drops) end
    if before.pull and wanted.handsOver then
      pushFrom(bot, before.pullCursor, before.pullCursorCount)
    else
      pushFrom(bot, bot.last, bot.count)
    end
  elseif before.push and not wanted.push then
    if not wanted.pull then return parkPush(bot) end
    if wanted.handsOver then handPushToPull(bot, before) end
    emptyPush(bot, wanted.drops)
  end
end

local function switchPull(bot, before, wanted)
  if before.pull or not wanted.pull then return end
  if before.isParked and not wanted.push then
    handPushToPull(bot, before)
    emptyPush(bot, wanted.drops)
  elseif not (before.push and not wanted.push and wanted.handsOver) then
    pullFrom(bot, bot.last, bot.count)
  end
end

-- A push that is off and not parked has nothing behind it.
local function leaveOffPush(bot, before, wanted)
  if wanted.push or before.push or before.isParked then return end
  if before.pushCursor < bot.last or redis.call('EXISTS', bot.push.lanes) == 1 then emptyPush(bot, wanted.drops) end
end

local function switchRules(bot, before, wanted)
  if wanted.rules and not before.rules then
    -- stylua: ignore
    writeState(bot.state, { '@rules', 1, '@rulesCursor', bot.last, '@rulesFloor', bot.last, '@rulesUnread', 0,
      '@rulesPending', 0 })
  elseif before.rules and not wanted.rules then
    local again = clearLanes(bot.rules, bot.rules.lanePrefix)
    redis.call('HINCRBY', bot.state, '@rulesFencingToken', 1)
    writeState(bot.state, { '@rules', 0, '@rulesUnread', 0, '@rulesPending', 0 })
    giveUpRedriven(bot, 'rules', again, RULES_REMOVED)
  elseif before.rules and not before.on and redis.call('EXISTS', bot.rules.lanes) == 1 then
    -- Lanes that slept while the bot was disabled have no turn. If the wake is lost, upkeep finds this pending turn.
    redis.call('ZADD', bot.pendingTurns, 'NX', bot.now, bot.id .. ':rules')
  end
end

-- The updates of the default readers are dropped.
local function dropWaitingOfBot(bot)
  emptyPush(bot, true)
  pullFrom(bot, bot.last, bot.count)
  writeState(bot.state, { '@keptFrom', bot.last, '@prevAck', bot.last })
  redis.call('DEL', bot.deliveredAhead)
end

-- The backend has changed: what failed at the old one is tried now.
local function retryBackend(bot)
  retryNow(bot.push, bot.now)
  closeBreaker(bot.state)
  redis.call('HDEL', bot.state, '@pushErr', '@pushErrAt', '@goneSince')
end
