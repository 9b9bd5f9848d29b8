-- What a turn of push and one of rules share: one owner, a place in the log, lanes that flow on their own, tries counted.
-- KEYS  1 state  2 log  3 lanes  4 flight  5 work  6 redriven  7 history  8 pending turns  9 consumers
-- ARGV  1 registration id  2 fencing token of the turn ('' begins one)  3 now (ms)  4 bot id  5 lane key prefix  6 how many to hand out
--       7 '1' to tidy the log  8 how often an update may be begun without an end
--       9 'idle' takes the pending turn away when nothing waits, 'asleep' also when what waits has its time, '' leaves it
--       10 name of the round: the same one is asked for again when its answer was lost; what it did is not done twice
--       11 how many have finished  12… per finished one: lane, id in its lane, how many leave the lane with it,
--       outcome ('delivered' | 'dropped' | 'retry' | 'dead' | 'crashed' | 'returned'), due at (ms, for retry and crashed),
--       JSON of the record (for retry) or of the failure (for dead); after them what the reader's own script names
-- RESULT {'GONE'} | {'OFF'} when a turn begins for nothing | {'FENCED'}
--      | {'OK', fencing token, when to look again (ms, '' when nothing waits for a time), wake history (0/1), pending turn taken away (0/1),
--         {what the reader's own script names},
--         {lane, record or '', progress or '', then per member: id in its lane, update id, raw, kind, accepted at,
--          expires at, traceparent or ''} …}
-- @include trim
-- @include lanes
-- @include dead-letter
local IN_FLIGHT_SCORE = 9e15
local ALBUM_AT_MOST = 10

local state, log, lanes, flight, work, redriven = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, botId, lanePrefix, room = tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6])
local begunAtMost = tonumber(ARGV[8])
local round = ARGV[10]
local again, wakeHistory, waiting, quiet, changes = false, 0, 0, false, {}

-- Fields of the state are written together, at the end.
local function note(...)
  for _, part in ipairs({ ... }) do changes[#changes + 1] = part end
end

-- Whoever did not hear what was handed out to it never began it: not a try, and first in line.
local function takeBack()
  local out = redis.call('HGETALL', flight)
  for i = 1, #out, 2 do
    if out[i + 1] == round then
      local id = redis.call('LINDEX', lanePrefix .. out[i], 0)
      if id then redis.call('HINCRBY', work, 's:' .. id, -1) end
      redis.call('ZADD', lanes, 'XX', 0, out[i])
      redis.call('HDEL', flight, out[i])
    end
  end
end

-- The fencing token of the turn, or nil and why there is none; s: gen, the fencing token, on, whether the reader is on, the last round.
local function own(reader, s)
  if not s[1] or s[1] ~= ARGV[1] then return nil, 'GONE' end
  if ARGV[2] ~= '' and s[2] ~= ARGV[2] then return nil, 'FENCED' end
  if s[5] == round then
    again, room, wakeHistory = true, 0, 1
    takeBack()
    return tonumber(s[2])
  end
  note('round:' .. reader, round)
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  if s[3] ~= '1' or s[4] ~= '1' then return nil, 'OFF' end
  restoreFlights(lanes, flight)
  return redis.call('HINCRBY', state, 'e:' .. reader, 1)
end

local function readEntry(id)
  if string.sub(id, 1, 1) ~= 'r' then return entryAt(log, id) end
  local text = redis.call('HGET', redriven, id)
  return text and cjson.decode(text)
end

local function fileInLane(lane, id)
  if redis.call('RPUSH', lanePrefix .. lane, id) == 1 then redis.call('ZADD', lanes, now, lane) end
  waiting = waiting + 1
end

local function leaveLane(lane)
  local id = redis.call('LPOP', lanePrefix .. lane)
  redis.call('HDEL', work, 's:' .. id, 'r:' .. id, 'p:' .. id, 'g:' .. id)
  if string.sub(id, 1, 1) == 'r' then redis.call('HDEL', redriven, id) end
  waiting = waiting - 1
end

local function dueAgain(lane, at)
  if redis.call('EXISTS', lanePrefix .. lane) == 1 then
    redis.call('ZADD', lanes, at, lane)
  else
    redis.call('ZREM', lanes, lane)
  end
end

-- The update becomes a dead letter; failure: code, reason, attempts, and lastStatus, firstFailedAtMs, lastFailedAtMs,
-- destinations (JSON) where there are any.
local function bury(id, failure)
  local entry = readEntry(id)
  if not entry then return end
  addDeadLetter(KEYS[7], { bot = botId, registration = ARGV[1], now = now, reader = READER }, entry, failure)
  if redis.call('ZADD', KEYS[8], 'NX', now, 'history') == 1 then wakeHistory = 1 end
end

-- Records what became of what was handed out; answers where the reader's own arguments begin.
local function settle()
  local at = 12
  if again then return at + tonumber(ARGV[11]) * 6 end
  for _ = 1, tonumber(ARGV[11]) do
    local lane, id, outcome = ARGV[at], ARGV[at + 1], ARGV[at + 3]
    redis.call('HDEL', flight, lane)
    if redis.call('LINDEX', lanePrefix .. lane, 0) == id then
      if outcome == 'delivered' or outcome == 'dropped' or outcome == 'dead' then
        local failure = outcome == 'dead' and cjson.decode(ARGV[at + 5])
        for _ = 1, tonumber(ARGV[at + 2]) do
          if failure then bury(redis.call('LINDEX', lanePrefix .. lane, 0), failure) end
          leaveLane(lane)
        end
        dueAgain(lane, now)
      elseif outcome == 'returned' then
        redis.call('HINCRBY', work, 's:' .. id, -1)
        dueAgain(lane, now)
      elseif outcome == 'crashed' then
        dueAgain(lane, tonumber(ARGV[at + 4]))
      else
        redis.call('HDEL', work, 's:' .. id)
        redis.call('HSET', work, 'r:' .. id, ARGV[at + 5])
        dueAgain(lane, tonumber(ARGV[at + 4]))
      end
    end
    at = at + 6
  end
  return at
end

local function buryExpired(id, record)
  local known = record ~= '' and cjson.decode(record) or {}
  local reason = 'expired before it could be ' .. (READER == 'push' and 'delivered' or 'routed')
  if known.lastError then reason = reason .. ' (' .. known.lastError .. ')' end
  bury(id, {
    code = 'expired', reason = reason, attempts = known.attempts or 0, lastStatus = numberIn(known.lastStatus),
    firstFailedAtMs = numberIn(known.firstFailedAtMs), lastFailedAtMs = numberIn(known.lastFailedAtMs),
  })
end

-- The updates at the head of a lane that are to be handled now, one or an album, and how often that was begun. When an
-- album may not be complete yet, nil and when it will be. What cannot be handled any more is buried on the way.
local function headOf(lane, gatherMs)
  while true do
    local id = redis.call('LINDEX', lanePrefix .. lane, 0)
    if not id then return nil end
    local entry, known = readEntry(id), redis.call('HMGET', work, 'r:' .. id, 'p:' .. id, 'g:' .. id)
    local record, album = known[1] or '', known[3]
    if not entry then
      leaveLane(lane)
    elseif entry.expires <= now then
      buryExpired(id, record)
      leaveLane(lane)
    else
      local unit = { lane, record, known[2] or '', id, entry.id, entry.raw, entry.kind, entry.at, entry.expires, entry.trace or '' }
      local members, complete, newest = 1, false, entry.at
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
      local begun = redis.call('HINCRBY', work, 's:' .. id, 1)
      if begun <= begunAtMost then return unit, begun end
      bury(id, {
        code = 'crashed', reason = 'its handling was begun ' .. begunAtMost .. ' times and never ended', attempts = begunAtMost,
      })
      leaveLane(lane)
    end
  end
end

-- Hands out what is due, one unit a lane. What owners died with twice is tried a last time with nothing beside it, so
-- that only what kills them is buried for it.
local function handOut(alone, gatherMs)
  local units = {}
  if alone and alone ~= '' then
    quiet = redis.call('HEXISTS', flight, alone) == 1
    if not quiet then note('alone:' .. READER, '') end
  end
  if quiet or room <= 0 then return units end
  local due = redis.call('ZRANGEBYSCORE', lanes, '-inf', now, 'WITHSCORES', 'LIMIT', 0, room)
  for i = 1, #due, 2 do
    local lane = due[i]
    local unit, begun = headOf(lane, gatherMs)
    if not unit then
      dueAgain(lane, begun or now)
    else
      local suspect = begun == begunAtMost and tonumber(due[i + 1]) == 0
      if suspect and redis.call('EXISTS', flight) == 1 then
        redis.call('HINCRBY', work, 's:' .. unit[4], -1)
        quiet = true
        break
      end
      redis.call('ZADD', lanes, IN_FLIGHT_SCORE, lane)
      redis.call('HSET', flight, lane, round)
      units[#units + 1] = unit
      if suspect then
        note('alone:' .. READER, lane)
        quiet = true
        break
      end
    end
  end
  return units
end

-- Writes the state, takes the pending turn away where that was asked for, and makes the answer.
--   active: whether the reader may be handed anything; place: up to where the log is read; floorField: what trimming must
--   leave to this reader; more: whether there is more to read; closedUntil: when to look again at the earliest (0 at once)
local function answer(fencingToken, active, place, floorField, more, closedUntil, named, units)
  local first = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
  local lookAt = ''
  if #first == 2 and tonumber(first[2]) < IN_FLIGHT_SCORE and active and not quiet then lookAt = first[2] end
  if closedUntil > 0 and lookAt ~= '' then lookAt = tostring(math.max(tonumber(lookAt), closedUntil)) end
  if #first == 0 then
    note(floorField, place)
  elseif ARGV[7] == '1' then
    note(floorField, (lowestPending(lanes, lanePrefix) or place + 1) - 1)
  end
  redis.call('HSET', state, unpack(changes))
  local nothing = not active or #first == 0 or (ARGV[9] == 'asleep' and lookAt ~= '' and tonumber(lookAt) > now)
  local ended = ARGV[9] ~= '' and nothing and #units == 0 and not more
  if ended then redis.call('ZREM', KEYS[8], botId .. ':' .. READER) end
  if ended or ARGV[7] == '1' then trimLog(state, log, KEYS[9], now) end
  return { 'OK', fencingToken, lookAt, wakeHistory, ended and 1 or 0, named, unpack(units) }
end
