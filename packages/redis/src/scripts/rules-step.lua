-- One round of a rules turn: records what became of updates, files what is to be routed, shows what is new and hands
-- out what is due. Lanes flow on their own; the members of an album leave their lane together.
-- KEYS  1 state  2 log  3 lanes  4 flight  5 work  6 history  7 dirty  8 consumers  9 redriven
-- ARGV  1 generation  2 epoch  3 now (ms)  4 bot id  5 lane key prefix  6 how many to hand out  7 '1' to tidy the log
--       8 how often an update may be begun without an end  9 how long an album is waited for (ms)
--       10 everything up to this id was looked at ('' nothing new)  11 how many updates that were
--       12 how many of them are filed  13… per filed one: lane, id, album ('' when it is in none)
--       then per finished one: lane, id in its lane, how many left with it, outcome ('ok' | 'later' | 'dead' | 'threw' |
--       'release'), due at (ms, for later and threw), record (JSON, for later), reason, attempts, last status
-- RESULT {'GONE'} | {'FENCED'}
--      | {'OK', when to look again (ms, '' when nothing waits for a time), wake history (0/1),
--         newest id shown ('' none), revision of the configuration, {id, lane, kind, raw …},
--         {lane, record or '', progress or '', then per member: id in its lane, update id, raw, kind, accepted at,
--          expires at, traceparent or ''} …}
-- @include trim
-- @include lanes
local LOOK_AT_ONCE = 100
local ALBUM_AT_MOST = 10
local IN_FLIGHT_SCORE = 9e15

local state, log, lanes, flight, work, redriven = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[9]
local now, botId, lanePrefix, room, gatherMs = tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[9])
local s = redis.call('HMGET', state, 'gen', 'e:rules', 'on', 'rules', 'looked', 'unlooked', 'routing', 'rev')
if not s[1] or s[1] ~= ARGV[1] then return { 'GONE' } end
if s[2] ~= ARGV[2] or s[4] ~= '1' then return { 'FENCED' } end
local looked, unlooked, routing = tonumber(s[5]), tonumber(s[6]), tonumber(s[7])
local wakeHistory = 0

local function readEntry(id)
  if string.sub(id, 1, 1) ~= 'r' then return entryAt(log, id) end
  local again = redis.call('HGET', redriven, id)
  return again and cjson.decode(again)
end

local function leaveLane(lane)
  local id = redis.call('LPOP', lanePrefix .. lane)
  redis.call('HDEL', work, 's:' .. id, 'r:' .. id, 'p:' .. id, 'g:' .. id)
  if string.sub(id, 1, 1) == 'r' then redis.call('HDEL', redriven, id) end
  routing = routing - 1
end

local function dueAgain(lane, at)
  if redis.call('EXISTS', lanePrefix .. lane) == 1 then
    redis.call('ZADD', lanes, at, lane)
  else
    redis.call('ZREM', lanes, lane)
  end
end

local function bury(id, reason, attempts, status)
  local entry = readEntry(id)
  if not entry then return end
  redis.call('XADD', KEYS[6], '*', 't', 'dead', 'b', botId, 'g', s[1], 'a', now, 'i', entry.id, 'u', entry.raw,
    'd', 'rules', 'w', reason, 'c', attempts, 's', status)
  if redis.call('ZADD', KEYS[7], 'NX', now, 'history') == 1 then wakeHistory = 1 end
end

local at = 13
for _ = 1, tonumber(ARGV[12]) do
  local lane, id, album = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if tonumber(id) > looked then
    if album ~= '' then redis.call('HSET', work, 'g:' .. id, album) end
    if redis.call('RPUSH', lanePrefix .. lane, id) == 1 then redis.call('ZADD', lanes, now, lane) end
    routing = routing + 1
  end
  at = at + 3
end
if ARGV[10] ~= '' and tonumber(ARGV[10]) > looked then
  looked = tonumber(ARGV[10])
  unlooked = math.max(0, unlooked - tonumber(ARGV[11]))
end

while at <= #ARGV do
  local lane, id, outcome = ARGV[at], ARGV[at + 1], ARGV[at + 3]
  redis.call('HDEL', flight, lane)
  if redis.call('LINDEX', lanePrefix .. lane, 0) == id then
    if outcome == 'ok' or outcome == 'dead' then
      for _ = 1, tonumber(ARGV[at + 2]) do
        if outcome == 'dead' then bury(redis.call('LINDEX', lanePrefix .. lane, 0), ARGV[at + 6], ARGV[at + 7], ARGV[at + 8]) end
        leaveLane(lane)
      end
      dueAgain(lane, now)
    elseif outcome == 'release' then
      redis.call('HINCRBY', work, 's:' .. id, -1)
      dueAgain(lane, now)
    elseif outcome == 'threw' then
      dueAgain(lane, tonumber(ARGV[at + 4]))
    else
      redis.call('HDEL', work, 's:' .. id)
      redis.call('HSET', work, 'r:' .. id, ARGV[at + 5])
      dueAgain(lane, tonumber(ARGV[at + 4]))
    end
  end
  at = at + 9
end

local out = { 'OK', '', 0, '', tonumber(s[8]), {} }
-- The updates at the head of a lane that are to be routed now: one, or an album. When an album may not be complete yet,
-- nil and when it will be.
local function headOf(lane)
  while true do
    local id = redis.call('LINDEX', lanePrefix .. lane, 0)
    if not id then return nil end
    local entry, record = readEntry(id), redis.call('HGET', work, 'r:' .. id) or ''
    if not entry then
      leaveLane(lane)
    elseif entry.expires <= now then
      bury(id, 'expired before it could be routed', record ~= '' and cjson.decode(record).attempts or 0, '')
      leaveLane(lane)
    else
      local unit = { lane, record, redis.call('HGET', work, 'p:' .. id) or '', id, entry.id, entry.raw, entry.kind, entry.at, entry.expires, entry.trace or '' }
      local album, members, complete, newest = redis.call('HGET', work, 'g:' .. id), 1, false, entry.at
      while album and members < ALBUM_AT_MOST do
        local nextId = redis.call('LINDEX', lanePrefix .. lane, members)
        if not nextId then break end
        local member = redis.call('HGET', work, 'g:' .. nextId) == album and readEntry(nextId)
        complete = not member
        if complete then break end
        for _, field in ipairs({ nextId, member.id, member.raw, member.kind, member.at, member.expires, member.trace or '' }) do unit[#unit + 1] = field end
        members, newest = members + 1, member.at
      end
      if album and members < ALBUM_AT_MOST and not complete and newest + gatherMs > now then return nil, newest + gatherMs end
      if redis.call('HINCRBY', work, 's:' .. id, 1) <= tonumber(ARGV[8]) then return unit end
      bury(id, 'its handling was begun ' .. ARGV[8] .. ' times and never ended', ARGV[8], '')
      leaveLane(lane)
    end
  end
end

if s[3] == '1' then
  for _, found in ipairs(redis.call('XRANGE', log, '(' .. looked, '+', 'COUNT', LOOK_AT_ONCE)) do
    local entry = fieldsOf(found)
    out[4] = entry.id
    if entry.kind == 'message' or entry.kind == 'channel_post' or entry.kind == 'business_message' then
      local shown = out[6]
      shown[#shown + 1], shown[#shown + 2], shown[#shown + 3], shown[#shown + 4] = entry.id, entry.lane, entry.kind, entry.raw
    end
  end
  if room > 0 then
    for _, lane in ipairs(redis.call('ZRANGEBYSCORE', lanes, '-inf', now, 'LIMIT', 0, room)) do
      local unit, gatheredAt = headOf(lane)
      if unit then
        redis.call('ZADD', lanes, IN_FLIGHT_SCORE, lane)
        redis.call('HSET', flight, lane, unit[4])
        out[#out + 1] = unit
      else
        dueAgain(lane, gatheredAt or now)
      end
    end
  end
  local first = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
  if #first == 2 then out[2] = first[2] end
end

redis.call('HSET', state, 'looked', looked, 'unlooked', unlooked, 'routing', routing)
if redis.call('EXISTS', lanes) == 0 then
  redis.call('HSET', state, 'ruledTo', looked)
elseif ARGV[7] == '1' then
  redis.call('HSET', state, 'ruledTo', (lowestPending(lanes, lanePrefix) or looked + 1) - 1)
end
if ARGV[7] == '1' then trimLog(state, log, KEYS[8], now) end
out[3] = wakeHistory
return out
