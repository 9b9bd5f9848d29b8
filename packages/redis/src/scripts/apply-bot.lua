-- Brings a bot's state in line with its configuration; the only script that creates a state.
-- KEYS  1 state  2 log  3 consumers  4 hidden ids  5 lanes  6 flight  7 work  8 redriven  9 history  10 pending turns
--       11 lanes of rules  12 their flight  13 their work  14 their redriven
-- ARGV  1 registration id  2 now (ms)  3 lane key prefix
--       4 pull  5 push  6 manage  7 on (each '1' or '0')  8 kinds allowed (',message,poll,' or '' for the default set)
--       9 '1': the position goes over between pull and push, as in the platform's one queue
--       10 '1': what waits is dropped  11 '1': what waits for its next try is due now, as after setWebhook
--       12 revision of the configuration  13 bot id  14 rules ('1' or '0')  15 lane key prefix of rules
--       16 update ids up to this one may have been handed out
-- RESULT {'OK', '1' when something waits for push} | {'GONE'} when another registration lives here
--      | {'OLD'} when a newer configuration was applied already
-- @include trim
-- @include lanes
-- @include dead-letter
-- @include ids
local PARKED_MS = 3600000
local HIDE_AT_MOST = 10000

local state, log, consumers, hidden = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local lanes, flight, work, redriven, lanePrefix = KEYS[5], KEYS[6], KEYS[7], KEYS[8], ARGV[3]
local now = tonumber(ARGV[2])
local known = redis.call('HGET', state, 'gen')
if known and known ~= ARGV[1] then return { 'GONE' } end
if known and tonumber(redis.call('HGET', state, 'rev')) > tonumber(ARGV[12]) then return { 'OLD' } end
if not known then
  redis.call('HSET', state, 'gen', ARGV[1], 'last', 0, 'n', 0, 'pull', 0, 'push', 0, 'parked', 0, 'acked', 0, 'ackedN', 0,
    'keptFrom', 0, 'prevAck', 0, 'prevAckAt', now, 'prevOffset', '', 'prevAt', 0, 'filed', 0, 'filedN', 0, 'floor', 0,
    'pend', 0, 'trimmedAt', now, 'pollOffset', 0, 'e:polling', 0, 'e:push', 0, 'run', runId())
end
beginAbove(state, tonumber(ARGV[16]))

local s = redis.call('HMGET', state, 'last', 'n', 'pull', 'push', 'parked', 'acked', 'ackedN', 'filed')
local last, n, acked, filed = tonumber(s[1]), tonumber(s[2]), tonumber(s[6]), tonumber(s[8])
local pulled, pushed, parked = s[3] == '1', s[4] == '1', tonumber(s[5]) > now
local pull, push, handOver = ARGV[4] == '1', ARGV[5] == '1', ARGV[9] == '1'

-- A dead letter that was sent again and has no reader any more is a dead letter again.
local function buryAgain(texts, reader, code, reason)
  for _, text in ipairs(texts) do
    local origin = { bot = ARGV[13], registration = ARGV[1], now = now, reader = reader }
    addDeadLetter(KEYS[9], origin, cjson.decode(text), { code = code, reason = reason, attempts = 0 })
    redis.call('ZADD', KEYS[10], 'NX', now, 'history')
  end
end

local function emptyPush()
  local again = clearLanes('push', state, lanes, flight, work, redriven, lanePrefix)
  redis.call('HSET', state, 'filed', last, 'filedN', n, 'floor', last, 'pend', 0, 'parked', 0)
  redis.call('HDEL', state, 'failSince', 'probeMs', 'closedUntil')
  if ARGV[10] ~= '1' then buryAgain(again, 'push', 'backend_removed', 'its backend was removed') end
end

-- Pull goes on where push stopped: at its lowest pending id; what push delivered above that stays hidden.
local function handPushToPull()
  local lowest = lowestPending(lanes, lanePrefix)
  local place = math.max(pulled and acked or 0, (lowest or filed + 1) - 1)
  redis.call('DEL', hidden)
  if lowest then
    local pending = {}
    for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
      for _, id in ipairs(redis.call('LRANGE', lanePrefix .. lane, 0, -1)) do pending[id] = true end
    end
    for _, found in ipairs(redis.call('XRANGE', log, lowest, filed, 'COUNT', HIDE_AT_MOST)) do
      local id = tostring(idOf(found))
      if not pending[id] then redis.call('SADD', hidden, id) end
    end
  end
  redis.call('HSET', state, 'acked', place, 'ackedN', ordinalUpTo(log, place, n))
end

if push and not pushed then
  if parked then
    redis.call('HSET', state, 'parked', 0)
  elseif pulled and handOver then
    redis.call('HSET', state, 'filed', acked, 'filedN', s[7], 'floor', acked, 'pend', 0)
  else
    redis.call('HSET', state, 'filed', last, 'filedN', n, 'floor', last, 'pend', 0)
  end
elseif pushed and not push then
  if pull then
    if handOver then handPushToPull() end
    emptyPush()
  else
    -- A program that removes its webhook and sets it again must find what came in between.
    redis.call('HSET', state, 'parked', now + PARKED_MS)
    redis.call('HINCRBY', state, 'e:push', 1)
    restoreFlights(lanes, flight)
  end
end
if pull and not pulled then
  if parked and not push then
    handPushToPull()
    emptyPush()
  elseif not (pushed and not push and handOver) then
    redis.call('HSET', state, 'acked', last, 'ackedN', n)
  end
end
if not push and not pushed and not parked and filed < last then
  emptyPush()
end

redis.call('HSET', state, 'pull', ARGV[4], 'push', ARGV[5], 'manage', ARGV[6], 'on', ARGV[7], 'allowed', ARGV[8], 'rev', ARGV[12])
local ruled = redis.call('HGET', state, 'rules') == '1'
if ARGV[14] == '1' and not ruled then
  redis.call('HSET', state, 'rules', 1, 'looked', last, 'ruledTo', last, 'unlooked', 0, 'routing', 0)
elseif ruled and ARGV[14] ~= '1' then
  local again = clearLanes('rules', state, KEYS[11], KEYS[12], KEYS[13], KEYS[14], ARGV[15])
  redis.call('HSET', state, 'rules', 0, 'unlooked', 0, 'routing', 0)
  buryAgain(again, 'rules', 'rules_removed', 'its rules were removed')
elseif ruled and redis.call('EXISTS', KEYS[11]) == 1 then
  -- What slept while the bot was disabled has no turn any more: should the wake be lost, upkeep sees the pending turn.
  redis.call('ZADD', KEYS[10], 'NX', now, ARGV[13] .. ':rules')
end
if ARGV[10] == '1' then
  emptyPush()
  redis.call('HSET', state, 'acked', last, 'ackedN', n, 'keptFrom', last, 'prevAck', last)
  redis.call('DEL', hidden)
end
if ARGV[11] == '1' then
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
    if redis.call('HEXISTS', flight, lane) == 0 then redis.call('ZADD', lanes, 0, lane) end
    redis.call('HDEL', work, 'r:' .. (redis.call('LINDEX', lanePrefix .. lane, 0) or ''))
  end
  redis.call('HDEL', state, 'pushErr', 'pushErrAt', 'failSince', 'probeMs', 'closedUntil', 'goneSince')
end
trimLog(state, log, consumers, now)
local waits = redis.call('EXISTS', lanes) == 1
  or #redis.call('XRANGE', log, '(' .. redis.call('HGET', state, 'filed'), '+', 'COUNT', 1) > 0
return { 'OK', waits and '1' or '0' }
