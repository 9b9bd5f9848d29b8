-- Parks a program that stays behind its limit: what waits for it becomes dead letters, a batch a call.
-- @keys state, log, consumers, history, pendingTurns
-- @args registrationId: text, botId: digits
--   programPrefix: text  of the keys of programs
--   programId: digits
--   upTo: number  update id
--   limit: number  how many at most in this call
--   kinds: text  that it wants, as in read-page
--   reason: text  in words
-- @reply
--   GONE
--   OK deadLetters: number, more: flag, wakeHistory: flag
-- @include state
-- @include programs
-- @include give-up
-- @include close-turn
local now, reader, keys = serverNow(), 'program:' .. programId, programKeys(programPrefix, programId)
-- @read s <- state: registrationId, allowedCount
-- @read p <- keys.state: push, pushCursor, pushPending, hasDeliveredAhead
local consumer = redis.call('HGET', consumers, reader)
if s.registrationId ~= registrationId or not consumer then return { 'GONE' } end
local pushes, acknowledged, polledAt = p.push == '1', consumerOf(consumer)
local cursor = tonumber(pushes and p.pushCursor or acknowledged)
local turn = withLanes({
  reader = reader,
  state = state,
  log = log,
  consumers = consumers,
  history = history,
  pendingTurns = pendingTurns,
  registrationId = registrationId,
  now = now,
  botId = botId,
  lanePrefix = keys.lanePrefix,
  lanes = keys.lanes,
  inFlight = keys.inFlight,
  work = keys.work,
  redriven = keys.redriven,
  pending = tonumber(p.pushPending or 0),
  givenUp = 0,
  wakeHistory = 0,
  fresh = {},
})
local failure = { code = 'too_far_behind', reason = reason, attempts = 0 }

-- The head of a lane in flight stays: its request may succeed.
local function giveUpLane(lane, isInFlight)
  local key = turn.lanePrefix .. lane
  local head = isInFlight and redis.call('LPOP', key)
  while turn.givenUp < limit and redis.call('EXISTS', key) == 1 do
    local id = redis.call('LINDEX', key, 0)
    giveUp(turn, id, failure)
    leaveLane(turn, lane, { id })
  end
  if head then
    redis.call('LPUSH', key, head)
  else
    dueAgain(turn, lane, now)
  end
end

for _, lane in ipairs(redis.call('ZRANGEBYSCORE', turn.lanes, '-inf', '(' .. IN_FLIGHT_SCORE, 'LIMIT', 0, limit)) do
  giveUpLane(lane, false)
end
for _, lane in ipairs(redis.call('ZRANGEBYSCORE', turn.lanes, IN_FLIGHT_SCORE, '+inf')) do
  giveUpLane(lane, true)
end
writeLanes(turn)
local fresh = redis.call('XRANGE', turn.log, '(' .. cursor, upTo, 'COUNT', math.max(limit - turn.givenUp, 1))
for _, found in ipairs(fresh) do
  local entry = fieldsOf(found)
  cursor = entry.id
  local wasDelivered = p.hasDeliveredAhead and redis.call('SISMEMBER', keys.deliveredAhead, entry.id) == 1
  local isWanted = isFor(entry, programId) and (entry.owner ~= nil or isOfKind(kinds, entry.kind))
  if isWanted and not wasDelivered then giveUp(turn, tostring(entry.id), failure) end
end
if #fresh == 0 then cursor = math.max(cursor, upTo) end
local waits = redis.call('ZRANGEBYSCORE', turn.lanes, '-inf', '(' .. IN_FLIGHT_SCORE, 'LIMIT', 0, 1)
local more = cursor < upTo or #waits > 0
if pushes then
  local count = countUpTo(turn.log, cursor, tonumber(s.allowedCount))
  writeState(keys.state, { '@pushCursor', cursor, '@pushCursorCount', count, '@pushPending', turn.pending })
  redis.call('HSET', turn.consumers, reader, risenFloor(turn, acknowledged, cursor) .. ' ' .. now)
else
  redis.call('HSET', turn.consumers, reader, cursor .. ' ' .. (more and polledAt or '0'))
end
if not more then
  redis.call('HSET', keys.state, '@parkedAt', now, '@parkedFor', reason)
  if not pushes then redis.call('HSET', keys.state, '@polledAt', polledAt) end
  redis.call('PUBLISH', '@channels.botState', turn.botId)
end
trimLog(turn.state, turn.log, turn.consumers, now)
return reply.OK { deadLetters = turn.givenUp, more = more, wakeHistory = turn.wakeHistory }
