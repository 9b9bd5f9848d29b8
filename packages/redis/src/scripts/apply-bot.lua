-- Brings a bot's state in line with its configuration; the only script that creates a state.
-- @keys state, log, consumers
--   deliveredAhead  ids that push has delivered
--   lanes, inFlight, work, redriven, history, pendingTurns
--   rulesLanes, rulesInFlight, rulesWork, rulesRedriven
-- @args registrationId: text, nowMs: number, lanePrefix: text
--   pull: flag, push: flag, manage: flag, on: flag
--   allowed: text  kinds (',message,poll,' or '' for the default set)
--   changesJson: text  stored changes of cursors, as packages/domain/src/fleet/bots/cursor-change.ts says; those that an earlier call
--       has applied are left out here
--   revision: number  of the configuration
--   botId: digits, rules: flag, rulesLanePrefix: text
--   reservedId: number  update ids up to this one may have been given out
--   programs: text  ids of the bot's programs (',1,5,')
--   filters: text, filtersDigest: text  what decides which programs get an update, '' for none
--   pushing: text  the programs that push (' 5:1:target', with 1 unless it is paused)
--   programPrefix: text  of the keys of programs
--   drops: flag  waiting updates
--   dropsOf: digits?  the program for which waiting updates are dropped
-- @reply
--   GONE  the state is of another registration
--   OLD  a newer configuration was applied already
--   OK waits: flag  something waits for push
--     more: flag  a deleted program left more: the call is repeated
-- @include state
-- @include trim
-- @include lanes
-- @include dead-letter
-- @include ids
-- @include programs
-- @include deleted-programs
local KEPT_MS = 3600000

local forPush = { lanes = lanes, inFlight = inFlight, work = work, redriven = redriven }
local forRules = { lanes = rulesLanes, inFlight = rulesInFlight, work = rulesWork, redriven = rulesRedriven }
local pushTurn = botId .. ':push'
local bot = {
  id = botId,
  registration = registrationId,
  now = nowMs,
  history = history,
  pendingTurns = pendingTurns,
  log = log,
  consumers = consumers,
  prefix = programPrefix,
}
-- @read known <- state: registrationId, revision
if known.registrationId and known.registrationId ~= registrationId then return { 'GONE' } end
if known.registrationId and tonumber(known.revision) > revision then return { 'OLD' } end
if not known.registrationId then
  -- stylua: ignore
  writeState(state, { '@registrationId', registrationId, '@lastId', 0, '@allowedCount', 0, '@pull', 0, '@push', 0, '@pushKeptUntil', 0,
    '@pullCursor', 0, '@pullCursorCount', 0, '@keptFrom', 0, '@prevAck', 0, '@prevAckAt', nowMs, '@prevOffset', '', '@prevAt', 0,
    '@pushCursor', 0, '@pushCursorCount', 0, '@pushFloor', 0, '@pushPending', 0, '@trimmedAt', nowMs, '@pollOffset', 0,
    '@pollingFencingToken', 0, '@pushFencingToken', 0, '@run', runId() })
end
beginAbove(state, reservedId, known.registrationId == nil)

-- @read s <- state: lastId, allowedCount, pull, push, pushKeptUntil, pullCursor, pullCursorCount, pushCursor, rules, on,
--   wokenPrograms
local last, allowedCount = tonumber(s.lastId), tonumber(s.allowedCount)
local pullCursor, pushCursor = tonumber(s.pullCursor), tonumber(s.pushCursor)
local pulled, pushed, ruled, keepsPush = s.pull == '1', s.push == '1', s.rules == '1', tonumber(s.pushKeptUntil) > nowMs

-- Whoever applies a configuration first does what its changes do to cursors, and nobody does it again.
local handOver, retries = false, false
for _, change in ipairs(cjson.decode(changesJson)) do
  if change.revision > tonumber(known.revision or 0) then
    handOver = handOver or change.handOver
    retries = retries or change.retryNow
  end
end

-- Push reads on after this id, up to which there were so many allowed updates; no lane has any of them.
local function pushFrom(cursor, count)
  writeState(state, { '@pushCursor', cursor, '@pushCursorCount', count, '@pushFloor', cursor, '@pushPending', 0 })
end

local function pullFrom(cursor, count)
  writeState(state, { '@pullCursor', cursor, '@pullCursorCount', count })
end

-- A turn that runs is not the owner any more, and will not remove its pending turn.
local function fencePush()
  redis.call('HINCRBY', state, '@pushFencingToken', 1)
  redis.call('ZREM', pendingTurns, pushTurn)
end

local function emptyPush()
  local again = clearLanes(forPush, lanePrefix)
  fencePush()
  pushFrom(last, allowedCount)
  redis.call('HSET', state, '@pushKeptUntil', 0)
  closeBreaker(state)
  if not drops then giveUpRedriven(bot, 'push', again, BACKEND_REMOVED) end
end

-- Pull continues at push's lowest pending id, without the later updates that push has delivered.
local function handPushToPull()
  redis.call('DEL', deliveredAhead)
  local lowest = rememberDeliveredAhead(lanes, lanePrefix, log, pushCursor, deliveredAhead)
  local cursor = math.max(pulled and pullCursor or 0, (lowest or pushCursor + 1) - 1)
  pullFrom(cursor, countUpTo(log, cursor, allowedCount))
end

-- The programs that this call leaves as they are: those of the configuration, and deleted ones of which more is left.
local kept, more = programs, false
for _, name in ipairs(redis.call('HKEYS', consumers)) do
  local id = string.sub(name, 9)
  if isProgram(name) and not string.find(programs, ',' .. id .. ',', 1, true) and deadLetterTaken(bot, name) then
    kept, more = kept .. id .. ',', true
  end
end

if push and not pushed then
  if keepsPush then
    redis.call('HSET', state, '@pushKeptUntil', 0)
  else
    -- What was kept for over an hour is given up.
    if redis.call('EXISTS', lanes) == 1 then emptyPush() end
    if pulled and handOver then
      pushFrom(pullCursor, s.pullCursorCount)
    else
      pushFrom(last, allowedCount)
    end
  end
elseif pushed and not push then
  if pull then
    if handOver then handPushToPull() end
    emptyPush()
  else
    -- A program that removes its webhook and sets it again must get the updates from in between.
    redis.call('HSET', state, '@pushKeptUntil', nowMs + KEPT_MS)
    fencePush()
    -- Its owner did not die, so this was no attempt.
    for _, lane in ipairs(redis.call('HKEYS', inFlight)) do
      local id = redis.call('LINDEX', lanePrefix .. lane, 0)
      if id then redis.call('HINCRBY', forPush.work, 's:' .. id, -1) end
    end
    restoreInFlight(lanes, inFlight)
  end
end
if pull and not pulled then
  if keepsPush and not push then
    handPushToPull()
    emptyPush()
  elseif not (pushed and not push and handOver) then
    pullFrom(last, allowedCount)
  end
end
if not push and not pushed and not keepsPush and (pushCursor < last or redis.call('EXISTS', lanes) == 1) then
  emptyPush()
end

local function switch(isOn)
  return isOn and '1' or '0'
end
-- stylua: ignore
writeState(state, { '@pull', switch(pull), '@push', switch(push), '@manage', switch(manage), '@on', switch(on),
  '@allowed', allowed, '@revision', revision })
if rules and not ruled then
  writeState(state, { '@rules', 1, '@rulesCursor', last, '@rulesFloor', last, '@rulesUnread', 0, '@rulesPending', 0 })
elseif ruled and not rules then
  local again = clearLanes(forRules, rulesLanePrefix)
  redis.call('HINCRBY', state, '@rulesFencingToken', 1)
  writeState(state, { '@rules', 0, '@rulesUnread', 0, '@rulesPending', 0 })
  giveUpRedriven(bot, 'rules', again, { code = 'rules_removed', reason = 'its rules were removed', attempts = 0 })
elseif ruled and s.on ~= '1' and redis.call('EXISTS', forRules.lanes) == 1 then
  -- Lanes that slept while the bot was disabled have no turn. If the wake is lost, upkeep finds this pending turn.
  redis.call('ZADD', pendingTurns, 'NX', nowMs, botId .. ':rules')
end
if drops then
  emptyPush()
  pullFrom(last, allowedCount)
  redis.call('HSET', state, 'keptFrom', last, 'prevAck', last)
  redis.call('DEL', deliveredAhead)
end
if retries then
  retryNow(forPush, nowMs)
  closeBreaker(state)
  redis.call('HDEL', state, 'pushErr', 'pushErrAt', 'goneSince')
end
if filtersDigest == '' then
  redis.call('HDEL', state, '@filters', '@filtersDigest', '@albums')
else
  writeState(state, { '@filters', filters, '@filtersDigest', filtersDigest })
end
bot.last, bot.count = last, allowedCount
bot.on, bot.woken = on, s.on == '1' and s.wokenPrograms or ''
redis.call('HSET', state, '@wokenPrograms', applyPrograms(bot, programs, kept, pushing))
if dropsOf ~= '' and string.find(programs, ',' .. dropsOf .. ',', 1, true) then dropWaiting(bot, dropsOf) end
-- A poll may have heard of what is dropped now.
if drops or pull ~= pulled then redis.call('PUBLISH', 'flotilla:appended', botId) end
trimLog(state, log, consumers, nowMs)
local waits = redis.call('EXISTS', lanes) == 1
  or #redis.call('XRANGE', log, '(' .. redis.call('HGET', state, '@pushCursor'), '+', 'COUNT', 1) > 0
-- If the wake that follows is lost, upkeep finds this pending turn, or an append a minute later, where the turn still sleeps from
-- before. A turn of a push that was on already knows of its work.
if waits and push and on and not (pushed and s.on == '1') then
  redis.call('ZADD', pendingTurns, 'NX', nowMs, pushTurn)
end
return reply.OK { waits = waits, more = more }
