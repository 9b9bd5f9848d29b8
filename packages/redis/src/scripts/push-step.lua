-- One round of a push turn: records what became of requests, files new updates into lanes, hands out what is due.
-- KEYS  1 state  2 log  3 lanes  4 flight  5 retries  6 starts  7 history  8 dirty  9 consumers  10 redriven  11 attempts
-- ARGV  1 generation  2 epoch  3 now (ms)  4 bot id  5 lane key prefix  6 how many to hand out  7 '1' to tidy the log
--       8 how often an update may be begun without an end  9 '' or what to remember as the last error
--       10 when the earliest request that failed was begun (ms, '' when none did)
--       11 '1' when every answer was 410, '0' when there were others, '' when there was none
--       12… per finished request: lane, id in its lane, outcome ('ok' | 'dropped' | 'retry' | 'dead' | 'threw' | 'release'),
--           due at (ms, for retry), retry record (JSON, for retry), reason, attempts, last status, attempt (JSON or '')
-- RESULT {'GONE'} | {'FENCED'}
--      | {'OK', when to look again (ms, '' when nothing waits for a time), more to file (0/1), wake history (0/1),
--         whether there was nothing but 410 for 23 h (0/1),
--         {lane, id in its lane, update id, raw, kind, accepted at, expires at, retry record or '',
--          traceparent if there is one} …}
-- @include trim
-- @include lanes
local FILE_AT_ONCE = 200
local IN_FLIGHT_SCORE = 9e15
local ATTEMPTS_KEPT = 100
-- A backend that has failed for this long without a success is closed: one probe at a time, ever more rarely.
local CLOSE_AFTER_MS = 10000
local FIRST_PROBE_MS = 2000
local LONGEST_PROBE_MS = 60000
local GONE_FOR_MS = 23 * 3600000

local state, log, lanes, flight, retries, starts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local redriven = KEYS[10]
local now, botId, lanePrefix, room = tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6])
local s = redis.call('HMGET', state, 'gen', 'e:push', 'on', 'push', 'filed', 'filedN', 'pend', 'failSince', 'probeMs', 'closedUntil')
if not s[1] or s[1] ~= ARGV[1] then return { 'GONE' } end
if s[2] ~= ARGV[2] then return { 'FENCED' } end
local filed, filedN, pend = tonumber(s[5]), tonumber(s[6]), tonumber(s[7])
local failSince, closedUntil = tonumber(s[8]), tonumber(s[10] or 0)
local wakeHistory, succeeded, attempts = 0, false, {}

local function readEntry(id)
  if string.sub(id, 1, 1) ~= 'r' then return entryAt(log, id) end
  local again = redis.call('HGET', redriven, id)
  return again and cjson.decode(again)
end

local function leaveLane(lane, id)
  redis.call('LPOP', lanePrefix .. lane)
  redis.call('HDEL', retries, id)
  redis.call('HDEL', starts, id)
  if string.sub(id, 1, 1) == 'r' then redis.call('HDEL', redriven, id) end
  pend = pend - 1
end

local function dueAgain(lane, at)
  if redis.call('EXISTS', lanePrefix .. lane) == 1 then
    redis.call('ZADD', lanes, at, lane)
  else
    redis.call('ZREM', lanes, lane)
  end
end

local function bury(entry, reason, attempts, status)
  redis.call('XADD', KEYS[7], '*', 't', 'dead', 'b', botId, 'g', s[1], 'a', now, 'i', entry.id, 'u', entry.raw,
    'd', 'push', 'w', reason, 'c', attempts, 's', status)
  if redis.call('ZADD', KEYS[8], 'NX', now, 'history') == 1 then wakeHistory = 1 end
end

if ARGV[9] ~= '' then redis.call('HSET', state, 'pushErr', ARGV[9], 'pushErrAt', now) end
for i = 12, #ARGV, 9 do
  local lane, id, outcome = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if ARGV[i + 8] ~= '' then attempts[#attempts + 1] = ARGV[i + 8] end
  if outcome == 'ok' then succeeded = true end
  redis.call('HDEL', flight, lane)
  if redis.call('LINDEX', lanePrefix .. lane, 0) == id then
    if outcome == 'ok' or outcome == 'dropped' then
      leaveLane(lane, id)
      dueAgain(lane, now)
    elseif outcome == 'retry' then
      redis.call('HSET', retries, id, ARGV[i + 4])
      redis.call('HDEL', starts, id)
      dueAgain(lane, tonumber(ARGV[i + 3]))
    elseif outcome == 'dead' then
      local entry = readEntry(id)
      if entry then bury(entry, ARGV[i + 5], ARGV[i + 6], ARGV[i + 7]) end
      leaveLane(lane, id)
      dueAgain(lane, now)
    else
      if outcome == 'release' then redis.call('HINCRBY', starts, id, -1) end
      dueAgain(lane, now)
    end
  end
end
if #attempts > 0 then
  redis.call('LPUSH', KEYS[11], unpack(attempts))
  redis.call('LTRIM', KEYS[11], 0, ATTEMPTS_KEPT - 1)
end

if succeeded then
  redis.call('HSET', state, 'pushOkAt', now)
  if failSince then redis.call('HDEL', state, 'failSince', 'probeMs', 'closedUntil') end
  if closedUntil > 0 then
    -- The way is open again: nobody waits for the rest of a long delay.
    closedUntil = 0
    for _, lane in ipairs(redis.call('ZRANGEBYSCORE', lanes, '(' .. now, '(' .. IN_FLIGHT_SCORE)) do redis.call('ZADD', lanes, now, lane) end
  end
elseif ARGV[10] ~= '' then
  failSince = failSince or tonumber(ARGV[10])
  redis.call('HSET', state, 'failSince', failSince)
  if now - failSince >= CLOSE_AFTER_MS and closedUntil <= now then
    local probeMs = math.min(tonumber(s[9] or FIRST_PROBE_MS / 2) * 2, LONGEST_PROBE_MS)
    closedUntil = now + probeMs
    redis.call('HSET', state, 'probeMs', probeMs, 'closedUntil', closedUntil)
  end
end

local hopeless = 0
if ARGV[11] == '0' then
  redis.call('HDEL', state, 'goneSince')
elseif ARGV[11] == '1' then
  redis.call('HSETNX', state, 'goneSince', now)
  if now - tonumber(redis.call('HGET', state, 'goneSince')) > GONE_FOR_MS then hopeless = 1 end
end

local moreToFile = 0
if s[3] == '1' and s[4] == '1' then
  local fresh = redis.call('XRANGE', log, '(' .. filed, '+', 'COUNT', FILE_AT_ONCE)
  if #fresh == FILE_AT_ONCE then moreToFile = 1 end
  for _, found in ipairs(fresh) do
    local entry = fieldsOf(found)
    filed, filedN = entry.id, entry.ordinal
    if not entry.muted then
      pend = pend + 1
      if redis.call('RPUSH', lanePrefix .. entry.lane, entry.id) == 1 then redis.call('ZADD', lanes, now, entry.lane) end
    end
  end
else
  redis.call('HSET', state, 'pend', pend)
  return { 'OK', '', 0, wakeHistory, 0 }
end

local out = { 'OK', '', moreToFile, 0, hopeless }
-- The next update of a lane that can be sent: what has expired, or was begun too often, is buried on the way.
local function nextSendable(lane)
  while true do
    local id = redis.call('LINDEX', lanePrefix .. lane, 0)
    if not id then return nil end
    local entry = readEntry(id)
    local retry = redis.call('HGET', retries, id) or ''
    if not entry then
      leaveLane(lane, id)
    elseif entry.expires <= now then
      local known = retry ~= '' and cjson.decode(retry) or {}
      bury(entry, 'expired before it could be delivered', known.attempts or 0, known.lastStatus or '')
      leaveLane(lane, id)
    elseif redis.call('HINCRBY', starts, id, 1) > tonumber(ARGV[8]) then
      bury(entry, 'its handling was begun ' .. ARGV[8] .. ' times and never ended', ARGV[8], '')
      leaveLane(lane, id)
    else
      return entry, retry
    end
  end
end

local probing = closedUntil > 0
if probing then room = (closedUntil <= now and redis.call('EXISTS', flight) == 0) and math.min(room, 1) or 0 end
if room > 0 then
  for _, lane in ipairs(redis.call('ZRANGEBYSCORE', lanes, '-inf', now, 'LIMIT', 0, room)) do
    local entry, retry = nextSendable(lane)
    if entry then
      redis.call('ZADD', lanes, IN_FLIGHT_SCORE, lane)
      local id = redis.call('LINDEX', lanePrefix .. lane, 0)
      redis.call('HSET', flight, lane, id)
      out[#out + 1] = { lane, id, entry.id, entry.raw, entry.kind, entry.at, entry.expires, retry, entry.trace }
    else
      redis.call('ZREM', lanes, lane)
    end
  end
end

local first = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
if #first == 2 and tonumber(first[2]) < IN_FLIGHT_SCORE then out[2] = first[2] end
if probing then
  -- While a probe is out nothing has a time; after it the backend is open, or closed until the next one.
  if redis.call('EXISTS', flight) == 1 then out[2] = '' elseif out[2] ~= '' then out[2] = tostring(math.max(tonumber(out[2]), closedUntil)) end
end
redis.call('HSET', state, 'filed', filed, 'filedN', filedN, 'pend', pend)
if #first == 0 then
  redis.call('HSET', state, 'floor', filed)
elseif ARGV[7] == '1' then
  redis.call('HSET', state, 'floor', (lowestPending(lanes, lanePrefix) or filed + 1) - 1)
end
if ARGV[7] == '1' then trimLog(state, log, KEYS[9], now) end
out[4] = wakeHistory
return out
