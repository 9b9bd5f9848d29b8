-- Claims what is due, one unit a lane.
-- @row unit lane: text
--   record: text?  JSON of its failed tries
--   progress: text  JSON of its routing, '' for none
--   ...updates: update
-- @row update inLane: text  its id in the lane
--   id: number, raw: text, kind: text, acceptedAtMs: number, expiresAtMs: number, traceparent: text?
-- @include turn
-- @include give-up
local ALBUM_AT_MOST = 10
-- How many updates that have expired, crashed or are gone leave their lanes in a call, so as not to block Redis. Then its answer says
-- that there is more to do.
local REMOVED_AT_ONCE = 200
-- The longest wait without a Retry-After (retry-schedule.ts). A lane that waits longer may have the time of a wrong clock.
local LONGEST_RETRY_MS = 120000
local EXAMINED_AT_ONCE = 100

local function giveUpExpired(turn, id, record)
  local known = record ~= '' and cjson.decode(record) or {}
  local reason = 'expired before it could be ' .. (turn.reader == 'rules' and 'routed' or 'delivered')
  if known.lastError then reason = reason .. ' (' .. known.lastError .. ')' end
  giveUp(turn, id, {
    code = 'expired',
    reason = reason,
    attempts = known.attempts or 0,
    lastStatus = numberIn(known.lastStatus),
    firstFailedAtMs = numberIn(known.firstFailedAtMs),
    lastFailedAtMs = numberIn(known.lastFailedAtMs),
    excerpt = known.excerpt,
  })
end

-- Adds the other members of an album to its unit. While members may still arrive: nil, and when to look again (ms).
local function gatherAlbum(turn, lane, unit, album, newest, gatherMs)
  for members = 1, ALBUM_AT_MOST - 1 do
    local id = redis.call('LINDEX', turn.lanePrefix .. lane, members)
    if not id then
      -- A member from the future was accepted by a wrong clock, and says nothing about the next one.
      if newest + gatherMs > turn.now and newest <= turn.now + CLOCKS_DIFFER_MS then return nil, newest + gatherMs end
      return unit
    end
    local member = redis.call('HGET', turn.work, 'g:' .. id) == album and readEntry(turn, id)
    if not member then return unit end
    local values = {
      fields.update {
        inLane = id,
        id = member.id,
        raw = member.raw,
        kind = member.kind,
        acceptedAtMs = member.at,
        expiresAtMs = member.expires,
        traceparent = member.trace or '',
      },
    }
    for _, value in ipairs(values) do
      unit[#unit + 1] = value
    end
    newest = member.at
  end
  return unit
end

-- What is known of updates at the heads of lanes is read in one command. due: lanes, each followed by its time
local function readHeads(turn, due)
  local ids, fields = {}, {}
  for i = 1, #due, 2 do
    local lane = due[i]
    local id = turn.heads[lane] or redis.call('LINDEX', turn.lanePrefix .. lane, '0')
    if id and not turn.fresh[id] then ids[#ids + 1] = id end
    turn.heads[lane] = id or nil
  end
  turn.known = {}
  if #ids == 0 then return end
  for _, id in ipairs(ids) do
    addField(fields, 'r:' .. id, 'p:' .. id)
    addField(fields, 'g:' .. id, 's:' .. id)
  end
  local found = redis.call('HMGET', turn.work, unpack(fields))
  for at, id in ipairs(ids) do
    turn.known[id] = { unpack(found, at * 4 - 3, at * 4) }
  end
end

-- What work has of an update: record, progress, album, how often its handling began.
local function workOf(turn, id)
  if turn.fresh[id] then return {} end
  return turn.known[id] or redis.call('HMGET', turn.work, 'r:' .. id, 'p:' .. id, 'g:' .. id, 's:' .. id)
end

-- Makes the head of a lane, which has expired or crashed, a dead letter.
local function giveUpHead(turn, id, entry, record)
  if entry.expires <= turn.now then return giveUpExpired(turn, id, record) end
  giveUp(turn, id, {
    code = 'crashed',
    reason = 'its handling was begun ' .. turn.begunAtMost .. ' times and never ended',
    attempts = turn.begunAtMost,
  })
end

-- The unit at the head of a lane, how often its handling will have begun, and the id of its first update in the lane. While an album may be incomplete: nil, and when to look
-- again (ms). An empty lane gives nil. What has expired, crashed or is gone leaves the lane here; once a call has removed enough,
-- turn.hasMoreToRemove and nil.
local function headOf(turn, lane, gatherMs)
  while true do
    local id = turn.heads[lane] or redis.call('LINDEX', turn.lanePrefix .. lane, '0')
    if not id then return nil end
    local entry, known = readEntry(turn, id), workOf(turn, id)
    local record, album = known[1] or '', known[3]
    if entry and entry.expires > turn.now then
      local unit = {
        fields.unit {
          lane = lane,
          record = record,
          progress = known[2] or '',
          fields.update {
            inLane = id,
            id = entry.id,
            raw = entry.raw,
            kind = entry.kind,
            acceptedAtMs = entry.at,
            expiresAtMs = entry.expires,
            traceparent = entry.trace or '',
          },
        },
      }
      if album then
        local whole, completeAt = gatherAlbum(turn, lane, unit, album, entry.at, gatherMs)
        if not whole then return nil, completeAt end
      end
      local begun = tonumber(known[4] or 0) + 1
      if begun <= turn.begunAtMost then return unit, begun, id end
    end
    turn.hasMoreToRemove = turn.removed >= REMOVED_AT_ONCE
    if turn.hasMoreToRemove then return nil end
    turn.removed = turn.removed + 1
    if entry then giveUpHead(turn, id, entry, record) end
    leaveLane(turn, lane, { id })
  end
end

-- Whether a due time (ms) minutes ahead can be right. A retry may wait until the time in its record, unless that says it failed
-- in the future. Rules wait for the times that they reserved, which are of the server's clock.
local function mayWaitUntil(turn, dueAt, record, progress)
  if dueAt > turn.now + LONGEST_WAIT_MS + CLOCKS_DIFFER_MS then return false end
  local known = record ~= '' and cjson.decode(record) or {}
  if (numberIn(known.lastFailedAtMs) or 0) > turn.now + CLOCKS_DIFFER_MS then return false end
  local latest = numberIn(known.nextTryAtMs) or 0
  for reserved in string.gmatch(progress, '"reservedMs":(%d+)') do
    latest = math.max(latest, tonumber(reserved) + CLOCKS_DIFFER_MS)
  end
  return dueAt <= latest
end

-- Makes lanes due whose due time a wrong clock wrote: that of another process, or our own before it was set.
local function correctDueTimes(turn)
  -- stylua: ignore
  local late = redis.call('ZREVRANGEBYSCORE', turn.lanes, '(' .. IN_FLIGHT_TEXT, '(' .. (turn.now + LONGEST_RETRY_MS),
    'WITHSCORES', 'LIMIT', '0', textOf(EXAMINED_AT_ONCE))
  for i = 1, #late, 2 do
    local id = redis.call('LINDEX', turn.lanePrefix .. late[i], '0') or ''
    local known = redis.call('HMGET', turn.work, 'r:' .. id, 'p:' .. id)
    if not mayWaitUntil(turn, tonumber(late[i + 1]), known[1] or '', known[2] or '') then
      turn.due[late[i]] = turn.nowText
    end
  end
end

-- The lanes that are due, each followed by its time: at most turn.limit.
local function dueLanes(turn)
  -- Once a turn, and every few seconds of a long one: most claims need no further command.
  if turn.fencingToken == '' or turn.trims then correctDueTimes(turn) end
  writeLanes(turn)
  return redis.call('ZRANGEBYSCORE', turn.lanes, '-inf', turn.nowText, 'WITHSCORES', 'LIMIT', '0', textOf(turn.limit))
end

-- Claims up to turn.limit units. A unit whose owner died twice gets its last attempt alone, so that no other unit is blamed
-- for a crash. suspect: the lane of such a unit, '' or nil when there is none.
local function claimDue(turn, suspect, gatherMs)
  local units = {}
  if suspect and suspect ~= '' then
    turn.halted = redis.call('HEXISTS', turn.inFlight, suspect) == 1
    if not turn.halted then change(turn, turn.fields.suspect, '') end
  end
  if turn.halted or turn.limit <= 0 then return units end
  turn.removed = turn.givenUp
  local due, claimed, begun = dueLanes(turn), {}, {}
  readHeads(turn, due)
  for i = 1, #due, 2 do
    local lane = due[i]
    local unit, times, id = headOf(turn, lane, gatherMs)
    if not unit then
      dueAgain(turn, lane, times or turn.now)
    else
      local isSuspect = times == turn.begunAtMost and tonumber(due[i + 1]) == 0
      if isSuspect and (#units > 0 or redis.call('EXISTS', turn.inFlight) == 1) then
        turn.halted = true
        break
      end
      turn.due[lane] = IN_FLIGHT_TEXT
      addField(claimed, lane, turn.claim)
      addField(begun, 's:' .. id, textOf(times))
      units[#units + 1] = unit
      if isSuspect then
        change(turn, turn.fields.suspect, lane)
        turn.halted = true
        break
      end
    end
  end
  if #units > 0 then
    redis.call('HSET', turn.inFlight, unpack(claimed))
    redis.call('HSET', turn.work, unpack(begun))
  end
  return units
end
