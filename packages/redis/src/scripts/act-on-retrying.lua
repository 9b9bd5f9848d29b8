-- Has updates that are retried tried now, or gives them up, so that the next ones of their chats go on.
-- @keys state, log, lanes, inFlight, work, redriven, history, pendingTurns
--   readerState  hash of the reader: that of the program, or the state
-- @args registrationId: text, botId: digits, lanePrefix: text
--   reader: text  'push', 'rules' or 'program:<id>'
--   act: try|skip
--   ...units: text  their names in their lanes
-- @reply
--   GONE
--   OK done: number, wakeHistory: flag
-- @include state
-- @include clock
-- @include give-up
-- @read bot <- state: registrationId
-- @read s <- readerState: openUntil
if bot.registrationId ~= registrationId then return { 'GONE' } end
local now = serverNow()
local turn = withLanes({
  reader = reader,
  log = log,
  history = history,
  pendingTurns = pendingTurns,
  registrationId = registrationId,
  now = now,
  botId = botId,
  lanePrefix = lanePrefix,
  lanes = lanes,
  inFlight = inFlight,
  work = work,
  redriven = redriven,
  pending = 0,
  givenUp = 0,
  wakeHistory = 0,
  fresh = {},
})

local function laneIn(id)
  if string.sub(id, 1, 1) == 'r' then
    local text = redis.call('HGET', redriven, id)
    return text and cjson.decode(text).lane
  end
  local entry = entryAt(log, id)
  return entry and laneOf(entry)
end

-- Only what waits at the head of its lane is retried; null in JSON is not nil.
local function failureOf(record)
  local known = cjson.decode(record)
  local failure = { code = 'skipped', reason = 'skipped by a person (' .. known.lastError .. ')' }
  failure.attempts = known.attempts
  for _, field in ipairs({ 'lastStatus', 'firstFailedAtMs', 'lastFailedAtMs' }) do
    failure[field] = numberIn(known[field])
  end
  failure.excerpt = type(known.excerpt) == 'string' and known.excerpt or nil
  return failure
end

-- An album of rules is one unit: its updates leave the lane together.
local function skip(lane, id, record)
  local album, failure = redis.call('HGET', work, 'g:' .. id), failureOf(record)
  local head = id
  repeat
    giveUp(turn, head, failure)
    leaveLane(turn, lane, { head })
    head = redis.call('LINDEX', lanePrefix .. lane, 0)
  until not head or not album or redis.call('HGET', work, 'g:' .. head) ~= album
  dueAgain(turn, lane, now)
end

local done = 0
for i in each(units) do
  local id = units[i]
  local lane = laneIn(id)
  local record = lane and redis.call('HGET', work, 'r:' .. id)
  local waits = record and redis.call('LINDEX', lanePrefix .. lane, 0) == id
  if waits and redis.call('HEXISTS', inFlight, lane) == 0 then
    done = done + 1
    if act == 'skip' then
      skip(lane, id, record)
    else
      -- Before all others: while the breaker is open, only the first is tried.
      redis.call('ZADD', lanes, 'XX', 1, lane)
    end
  end
end
writeLanes(turn)
if done == 0 then return reply.OK { done = 0, wakeHistory = false } end
if turn.pending ~= 0 then
  redis.call('HINCRBY', readerState, reader == 'rules' and '@rulesPending' or '@pushPending', turn.pending)
end
if act == 'try' and s.openUntil then
  writeState(readerState, { '@openUntil', now })
  redis.call('HDEL', readerState, '@probeIntervalMs')
end
redis.call('ZADD', pendingTurns, 'NX', now, botId .. ':' .. reader)
-- A turn that runs looks again at once.
redis.call('PUBLISH', '@channels.turnNews', botId)
return reply.OK { done = done, wakeHistory = turn.wakeHistory == 1 }
