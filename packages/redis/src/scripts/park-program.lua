-- Parks a program that stays behind its limit: what waits for it becomes dead letters, a batch a call.
-- KEYS  1 state  2 log  3 consumers  4 history  5 pending turns
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 key prefix of programs  5 id of the program  6 up to this update id
--       7 how many at most in this call  8 kinds that it wants (as ARGV 9 of read-page)  9 reason, in words
-- RESULT {'GONE'} | {'OK', dead letters made, more to do (0/1), wake history (0/1)}
-- @include state
-- @include programs
-- @include bury
local id, now, upTo, limit = ARGV[5], tonumber(ARGV[2]), tonumber(ARGV[6]), tonumber(ARGV[7])
local reader, keys = 'program:' .. id, programKeys(ARGV[4], id)
-- @read s <- KEYS[1]: registrationId, allowedCount
-- @read p <- keys.state: push, pushCursor, pushPending, hasDeliveredAhead
local consumer = redis.call('HGET', KEYS[3], reader)
if s.registrationId ~= ARGV[1] or not consumer then return { 'GONE' } end
local pushes, acknowledged, polledAt = p.push == '1', consumerOf(consumer)
local cursor = tonumber(pushes and p.pushCursor or acknowledged)
local turn = withLanes({
  reader = reader, state = KEYS[1], log = KEYS[2], consumers = KEYS[3], history = KEYS[4], pendingTurns = KEYS[5],
  registrationId = ARGV[1], now = now, botId = ARGV[3], lanePrefix = keys.lanePrefix, lanes = keys.lanes,
  inFlight = keys.inFlight, work = keys.work, redriven = keys.redriven, pending = tonumber(p.pushPending or 0),
  buried = 0, wakeHistory = 0, fresh = {},
})
local failure = { code = 'too_far_behind', reason = ARGV[9], attempts = 0 }

-- The head of a lane in flight stays: its request may succeed.
local function buryLane(lane, isInFlight)
  local key = turn.lanePrefix .. lane
  local head = isInFlight and redis.call('LPOP', key)
  while turn.buried < limit and redis.call('EXISTS', key) == 1 do
    local id = redis.call('LINDEX', key, 0)
    bury(turn, id, failure)
    leaveLane(turn, lane, { id })
  end
  if head then
    redis.call('LPUSH', key, head)
  else
    dueAgain(turn, lane, now)
  end
end

for _, lane in ipairs(redis.call('ZRANGEBYSCORE', turn.lanes, '-inf', '(' .. IN_FLIGHT_SCORE, 'LIMIT', 0, limit)) do buryLane(lane, false) end
for _, lane in ipairs(redis.call('ZRANGEBYSCORE', turn.lanes, IN_FLIGHT_SCORE, '+inf')) do buryLane(lane, true) end
writeLanes(turn)
local fresh = redis.call('XRANGE', turn.log, '(' .. cursor, upTo, 'COUNT', math.max(limit - turn.buried, 1))
for _, found in ipairs(fresh) do
  local entry = fieldsOf(found)
  cursor = entry.id
  local wasDelivered = p.hasDeliveredAhead and redis.call('SISMEMBER', keys.deliveredByPush, entry.id) == 1
  local isWanted = isFor(entry, id) and (entry.owner ~= nil or isOfKind(ARGV[8], entry.kind))
  if isWanted and not wasDelivered then bury(turn, tostring(entry.id), failure) end
end
if #fresh == 0 then cursor = math.max(cursor, upTo) end
local waits = redis.call('ZRANGEBYSCORE', turn.lanes, '-inf', '(' .. IN_FLIGHT_SCORE, 'LIMIT', 0, 1)
local more = cursor < upTo or #waits > 0
if pushes then
  writeState(keys.state, { '@pushCursor', cursor, '@pushCursorCount', countUpTo(turn.log, cursor, tonumber(s.allowedCount)), '@pushPending', turn.pending })
  redis.call('HSET', turn.consumers, reader, risenFloor(turn, acknowledged, cursor) .. ' ' .. now)
else
  redis.call('HSET', turn.consumers, reader, cursor .. ' ' .. (more and polledAt or '0'))
end
if not more then
  redis.call('HSET', keys.state, 'parkedAt', now, 'parkedFor', ARGV[9])
  if not pushes then redis.call('HSET', keys.state, 'polledAt', polledAt) end
  redis.call('PUBLISH', 'flotilla:bot-state', turn.botId)
end
trimLog(turn.state, turn.log, turn.consumers, now)
return { 'OK', turn.buried, more and 1 or 0, turn.wakeHistory }
