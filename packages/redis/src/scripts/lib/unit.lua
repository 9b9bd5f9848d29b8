-- The unit at the head of a lane.
-- @row unit lane: text
--   record: text?  JSON of its failed tries
--   progress: text  JSON of its routing, '' for none
--   ...updates: update
-- @row update inLane: text  its id in the lane
--   id: number, raw: text, kind: text
--   ageMs: number, livesMs: number  since it was accepted, until it expires
--   traceparent: text?
-- @include lane-changes
-- @include give-up
local ALBUM_AT_MOST = 10
-- How many updates that have expired, crashed or are gone leave their lanes in a call, so as not to block Redis. Then its answer says
-- that there is more to do.
local REMOVED_AT_ONCE = 200

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

-- The values of an update for the reply.
local function updateIn(turn, inLane, entry)
  return fields.update {
    inLane = inLane,
    id = entry.id,
    raw = entry.raw,
    kind = entry.kind,
    ageMs = turn.now - entry.at,
    livesMs = entry.expires - turn.now,
    traceparent = entry.trace or '',
  }
end

-- Adds the other members of an album to its unit. While members may still arrive: nil, and when to look again (ms).
local function gatherAlbum(turn, lane, unit, album, newest, gatherMs)
  for members = 1, ALBUM_AT_MOST - 1 do
    local id = redis.call('LINDEX', turn.lanePrefix .. lane, members)
    if not id then
      if newest + gatherMs > turn.now then return nil, newest + gatherMs end
      return unit
    end
    local member = redis.call('HGET', turn.work, 'g:' .. id) == album and readEntry(turn, id)
    if not member then return unit end
    for _, value in ipairs({ updateIn(turn, id, member) }) do
      unit[#unit + 1] = value
    end
    newest = member.at
  end
  return unit
end

-- The parts of an update in work: record, progress, album, how often its handling began.
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

-- The unit at the head of a lane, how often its handling will have begun, and the id of its first update in the lane. While
-- an album may be incomplete: nil, and when to look again (ms). An empty lane gives nil. What has expired, crashed or is gone leaves the lane here; once a call has removed enough,
-- turn.hasMoreToRemove and nil.
local function headOf(turn, lane, gatherMs)
  while true do
    local id = turn.heads[lane] or redis.call('LINDEX', turn.lanePrefix .. lane, '0')
    if not id then return nil end
    local entry, known = readEntry(turn, id), workOf(turn, id)
    local record, album = known[1] or '', known[3]
    if entry and entry.expires > turn.now then
      local progress = known[2] or ''
      local unit = { fields.unit { lane = lane, record = record, progress = progress, updateIn(turn, id, entry) } }
      if album then
        local whole, completeAt = gatherAlbum(turn, lane, unit, album, entry.at, gatherMs)
        if not whole then return nil, completeAt end
      end
      local begun = tonumber(known[4] or 0) + 1
      if begun <= (isCopy(id) and 1 or turn.begunAtMost) then return unit, begun, id end
    end
    turn.hasMoreToRemove = turn.removed >= REMOVED_AT_ONCE
    if turn.hasMoreToRemove then return nil end
    turn.removed = turn.removed + 1
    if entry then giveUpHead(turn, id, entry, record) end
    leaveLane(turn, lane, { id })
  end
end
