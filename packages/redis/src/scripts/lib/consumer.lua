-- One consumer of a log: its cursor, what it acknowledges and what it may still read. reader: name, default and forProgram (which
-- kind of consumer it is), program (its id, or ''), now, s (the state), last (the newest id), keys, activityPrefix,
-- shardActivityPrefix, kinds, takenKinds, seesHeld, polledBy, programState (its hash, for a program); openConsumer adds its cursor and what is stored of it.
-- @include state
-- @include trim
-- @include activity
-- The platform knows offsets up to so many ids above the newest one.
local SLACK = 10
-- An owner gets as many as are left: 16 if nobody else has any.
local MAX_CONSUMERS = 32
-- The time of the last poll is exact to a second, and to some ten seconds while the poll waits: what it reads when it is woken is
-- answered without a write to the disk.
local SHOWN_MS = 1000
local SHOWN_WAITING_MS = 10000
local COUNTED_AT_ONCE, COUNTED_AT_MOST = 100, 1000

local function hasRoom(reader)
  local all, own = 0, 0
  for _, known in ipairs(redis.call('HKEYS', reader.consumers)) do
    if not isProgram(known) then
      local owner = redis.call('HGET', reader.state, ownerField(known)) or ''
      all, own = all + 1, own + (owner == reader.owner and 1 or 0)
    end
  end
  return own < MAX_CONSUMERS - all
end

-- Returns nil, or why it cannot be read.
local function openConsumer(reader)
  if reader.default then
    reader.cursor = tonumber(reader.s.pullCursor)
    return nil
  end
  reader.stored = redis.call('HGET', reader.consumers, reader.name)
  if reader.stored then
    reader.cursor = tonumber(string.match(reader.stored, '^%d+'))
    return nil
  end
  if reader.forProgram then return 'GONE' end
  -- Trimming removes consumers that were not polled for a day; the log of a quiet bot may not have been trimmed since.
  if not hasRoom(reader) then trimLog(reader.state, reader.log, reader.consumers, reader.now) end
  if not hasRoom(reader) then return 'TOO_MANY' end
  reader.cursor = 0
  return nil
end

-- True if push delivered ids ahead, which this reader must not get.
local function hidesSome(reader)
  if reader.hides == nil then
    reader.hides = (reader.default or reader.forProgram) and redis.call('EXISTS', reader.deliveredAhead) == 1
  end
  return reader.hides
end

local function isHidden(reader, entry)
  return hidesSome(reader) and redis.call('SISMEMBER', reader.deliveredAhead, idOf(entry)) == 1
end

-- How many updates for the default readers are in the log after `from` and up to `to`. What programs took alone is not counted.
-- nil where there are very many: Redis serves nobody else meanwhile.
local function allowedBetween(log, from, to)
  local found, looked, after, page = 0, 0, from, nil
  repeat
    page = redis.call('XRANGE', log, '(' .. after, to, 'COUNT', COUNTED_AT_ONCE)
    for _, entry in ipairs(page) do
      if isAllowedEntry(entry) then found = found + 1 end
    end
    looked, after = looked + #page, page[1] and idTextOf(page[#page])
  until #page < COUNTED_AT_ONCE or looked >= COUNTED_AT_MOST
  return #page < COUNTED_AT_ONCE and found or nil
end

-- received: the client confirms these updates; otherwise it skips them without having read them.
local function acknowledge(reader, id, received)
  if id <= reader.cursor then return end
  local from = reader.cursor
  reader.cursor = id
  if not reader.default then return end
  local s, all = reader.s, tonumber(reader.s.allowedCount)
  local count, before = countUpTo(reader.log, id, all, reader.last), tonumber(s.pullCursorCount)
  if received then
    local delivered = math.max(0, count - before)
    -- Only filters let programs take updates alone.
    if delivered > 0 and (s.filtersDigest or '') ~= '' then
      delivered = allowedBetween(reader.log, from, tostring(id)) or delivered
    end
    countActivity(reader.activityPrefix, reader.shardActivityPrefix, reader.now, 0, delivered, 0, 0, 0)
  end
  movePullCursor(reader.state, s, tostring(id), count == all and s.allowedCount or count, reader.now)
  if hidesSome(reader) and #redis.call('XRANGE', reader.log, '(' .. id, '+', 'COUNT', 1) == 0 then
    redis.call('DEL', reader.deliveredAhead)
    reader.hides = false
  end
end

-- A slower poller of the same consumer may still need what a faster one has just acknowledged.
local function oldestReadable(reader)
  local keptFrom = tonumber(reader.s.keptFrom)
  if keptFrom > 0 then return keptFrom + 1 end
  local first = redis.call('XRANGE', reader.log, '-', '+', 'COUNT', 1)
  return #first > 0 and idOf(first[1]) or reader.cursor + 1
end

-- Acknowledges what is before this offset. Returns where to read from; nil for the cursor.
local function acknowledgeBefore(reader, offset)
  if offset > reader.last + 1 then
    reader.last = offset - 1
    writeState(reader.state, { '@lastId', reader.last })
  end
  if offset > reader.cursor then
    acknowledge(reader, offset - 1, true)
    return offset
  end
  return offset >= oldestReadable(reader) and offset or nil
end

local function isWantedBy(reader, entry)
  if reader.default and not isAllowedEntry(entry) then return false end
  if not isMarked(entry) then return isOfKind(reader.kinds, kindOf(entry)) end
  local fields = fieldsOf(entry)
  if fields.again and not reader.default and not reader.forProgram then return false end
  return isFor(fields, reader.program, reader.seesHeld)
    and isOfKind(fields.owner and reader.takenKinds or reader.kinds, fields.kind)
end

-- True if this reader will never get an entry behind its cursor that it did not get now.
local function isOverFor(reader, entry)
  if reader.default then return isOverForPull(entry, reader.now) end
  if reader.forProgram or expiresAtOf(entry) <= reader.now then return true end
  local fields = fieldsOf(entry)
  return fields.owner ~= nil or fields.again or (fields.held == 'h') ~= (reader.seesHeld and fields.held ~= nil)
end

-- Stores the cursor, and when the reader was polled last.
local function noteRead(reader, cursor, isFirst)
  local now, shownMs = reader.now, isFirst and SHOWN_MS or SHOWN_WAITING_MS
  if reader.default then
    acknowledge(reader, cursor, false)
    if now - tonumber(reader.s.pulledAt or 0) >= shownMs then
      writeState(reader.state, { '@pulledAt', now, '@polledBy', reader.polledBy })
    end
    return
  end
  local knownCursor, polledAt = consumerOf(reader.stored)
  if knownCursor == nil and reader.owner ~= '' then
    redis.call('HSET', reader.state, ownerField(reader.name), reader.owner)
  end
  if knownCursor ~= tostring(cursor) or now - tonumber(polledAt) >= shownMs then
    redis.call('HSET', reader.consumers, reader.name, cursor .. ' ' .. now)
    if reader.forProgram and now - tonumber(polledAt or 0) >= shownMs then
      writeState(reader.programState, { '@polledBy', reader.polledBy })
    end
  end
end
