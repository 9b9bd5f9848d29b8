-- Reads a consumer's updates and acknowledges as getUpdates does (offsets: last+1…last+11, larger, negative, zero).
-- @keys state, log, consumers
--   deliveredAhead  ids that push has delivered, which the default consumer, or the program whose own push it was, leaves out
--   activity, shardActivity
--   program?  its hash, for a program
-- @args registrationId: text, nowMs: digits
--   consumer: text  '' is the default one
--   askedOffset: digits, limit: number, timeoutMs: number
--   acknowledges: flag  on the first read of a call
--   throttles: flag  for the platform's 3 s wait of repeated empty calls
--   kinds: text  that this reader wants: ',message,poll,', '' for all, '!,poll,' for all but these. The cursor moves by offsets;
--       it also passes what has expired and what another program took, that of a program also what it does not want
--   answerBytes: number  that the answer has already from scans before this one
--   backFrom: text, backCounted: number?  for a negative offset: where to go on counting back ('+' at first), the id counted last
--   revision: digits  of the configuration that names the program
--   takenKinds: text  as kinds, for what the program took alone under earlier kinds
-- @reply
--   GONE, OFF, TOO_MANY
--   CHANGED  the program may want other kinds by a newer configuration
--   BACK offset: number, backFrom: text, backCounted: number?  a negative offset reaches farther back than one call looks
--   OK from: number  the offset from which nothing has been scanned
--     throttled: flag
--     more: flag  to scan from there
--     updates: number, joined: bytes  how many, and these as one text as an array of JSON holds them
--     appendedAtMs: number  of the first of them, 0 when there is none
--     answerBytes: number
-- @include state
-- @include trim
-- @include activity
local BODY_CAP = 4194304
local SLACK = 10
local TOO_OLD = 100000
local MAX_CONSUMERS = 16
local SCAN_AT_MOST = 1000
local SHOWN_MS = 1000
-- The same while a poll waits. What it reads when it is woken is answered without a write to the disk.
local SHOWN_WAITING_MS = 10000
local PAGE = 25

local now, offset = tonumber(nowMs), tonumber(askedOffset)
local default, forProgram = consumer == '', isProgram(consumer)
-- @read s <- state: registrationId, on, pull, lastId, allowedCount, pullCursor, pullCursorCount, keptFrom, prevAck, prevAckAt,
--   revision, trimmedAt, pulledAt
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' or (s.pull ~= '1' and not forProgram) then return { 'OFF' } end
-- By the older configuration, the cursor would pass updates of kinds that the program wants by the newer one.
if forProgram and tonumber(s.revision) > tonumber(revision) then return { 'CHANGED' } end
-- A poll that began before the program got a backend must not move the cursor, which is now the floor of its lanes.
if forProgram and redis.call('HGET', program, '@push') == '1' then return { 'OFF' } end
local last, n = tonumber(s.lastId), tonumber(s.allowedCount)

local function consumerCount()
  local count = 0
  for _, known in ipairs(redis.call('HKEYS', consumers)) do
    if not isProgram(known) then count = count + 1 end
  end
  return count
end

local cursor, hidden
local known = not default and redis.call('HGET', consumers, consumer)
if default then
  cursor = tonumber(s.pullCursor)
else
  if known then
    cursor = tonumber(string.match(known, '^%d+'))
  elseif forProgram then
    return { 'GONE' }
  else
    -- Trimming removes consumers that were not polled for a day; the log of a quiet bot may not have been trimmed since.
    if consumerCount() >= MAX_CONSUMERS then trimLog(state, log, consumers, now) end
    if consumerCount() >= MAX_CONSUMERS then return { 'TOO_MANY' } end
    cursor = 0
  end
end

-- Whether push delivered ids ahead, which this reader must not get.
local function hidesSome()
  if hidden == nil then hidden = (default or forProgram) and redis.call('EXISTS', deliveredAhead) == 1 end
  return hidden
end

-- received: the client confirms these updates; otherwise it skips them without having read them.
local function acknowledge(id, received)
  if id <= cursor then return end
  cursor = id
  if not default then return end
  local count, before = countUpTo(log, cursor, n, last), tonumber(s.pullCursorCount)
  if received then countActivity(activity, shardActivity, now, 0, math.max(0, count - before), 0, 0, 0) end
  movePullCursor(state, s, tostring(cursor), count == n and s.allowedCount or count, now)
  if hidesSome() and #redis.call('XRANGE', log, '(' .. cursor, '+', 'COUNT', 1) == 0 then
    redis.call('DEL', deliveredAhead)
    hidden = false
  end
end

-- A slower poller of the same consumer may still need what a faster one has just acknowledged.
local function oldestReadable()
  local keptFrom = tonumber(s.keptFrom)
  if keptFrom > 0 then return keptFrom + 1 end
  local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)
  return #first > 0 and idOf(first[1]) or cursor + 1
end

local ofProgram = forProgram and string.sub(consumer, 9) or ''
local function isWanted(entry)
  if default and not isAllowedEntry(entry) then return false end
  if not isMarked(entry) then return isOfKind(kinds, kindOf(entry)) end
  local fields = fieldsOf(entry)
  if fields.again and not default and not forProgram then return false end
  return isFor(fields, ofProgram) and isOfKind(fields.owner and takenKinds or kinds, fields.kind)
end

-- Whether this reader will never get an entry behind its cursor that it did not get now.
local function isOverForThis(entry)
  if default then return isOverForPull(entry, now) end
  if forProgram or expiresAtOf(entry) <= now then return true end
  local fields = fieldsOf(entry)
  return fields.owner ~= nil or fields.again
end

-- Where to read from, by the offset that was asked for; the first read of a call acknowledges what is before it.
local from = nil
if acknowledges then
  local tail = last + 1
  if offset < 0 then
    local left, at, counted = -offset, backFrom, backCounted
    local looked = 0
    while left > 0 do
      if looked >= SCAN_AT_MOST then
        return reply.BACK { offset = -left, backFrom = at, backCounted = counted or '' }
      end
      local page = redis.call('XREVRANGE', log, at, '(' .. cursor, 'COUNT', kinds == '' and math.min(left, 100) or 100)
      if #page == 0 then break end
      for _, found in ipairs(page) do
        if left > 0 and isWanted(found) then
          counted, left = idOf(found), left - 1
        end
        at = '(' .. found[1]
      end
      looked = looked + #page
    end
    if counted then acknowledge(counted - 1, false) end
    offset = 0
  elseif offset > 0 and last > 0 and offset <= tail + SLACK and offset >= cursor + 1 - TOO_OLD then
    if offset > tail then
      last = offset - 1
      writeState(state, { '@lastId', last })
    end
    if offset > cursor then
      acknowledge(offset - 1, true)
      from = offset
    elseif offset >= oldestReadable() then
      from = offset
    end
  end
elseif offset > cursor + 1 and offset <= last + 1 + SLACK then
  from = offset
elseif offset > 0 and offset <= cursor and offset >= oldestReadable() then
  from = offset
end

from = from or cursor + 1

local throttled = false
if throttles and (default or forProgram) then
  local readerState = forProgram and program or state
  -- @read poll <- readerState: prevOffset, prevAt
  throttled = poll.prevOffset == askedOffset and now - tonumber(poll.prevAt) < 3000 and timeoutMs < 3000
  redis.call('HSET', readerState, 'prevOffset', askedOffset, 'prevAt', nowMs)
end
local raws, size, scanned, appendedAt = {}, answerBytes, 0, 0
local more, isDone = false, false
-- What has expired, what a program does not want, or what another one took must not hold the log: the cursor goes past it once
-- all before it is acknowledged.
local mayPass, cursorAfter = from <= cursor + 1, cursor
isDone = from > last
while #raws < limit and not more and not isDone do
  local count = kinds == '' and math.min(limit - #raws, PAGE) or PAGE
  local page = redis.call('XRANGE', log, '(' .. (from - 1), '+', 'COUNT', textOf(count))
  local read
  for _, entry in ipairs(page) do
    if
      expiresAtOf(entry) > now
      and isWanted(entry)
      and not (hidesSome() and redis.call('SISMEMBER', deliveredAhead, idOf(entry)) == 1)
    then
      local raw = rawOf(entry)
      local grown = size + 50 + #raw
      if grown > BODY_CAP and size > 0 then
        isDone = true
        break
      end
      size = grown
      raws[#raws + 1] = raw
      if #raws == 1 then appendedAt = appendedAtOf(entry) end
      mayPass = mayPass and idOf(entry) <= cursor
    elseif mayPass and idOf(entry) > cursor then
      mayPass = isOverForThis(entry)
      if mayPass then cursorAfter = idOf(entry) end
    end
    read = entry
    scanned = scanned + 1
    -- A reader that wants a few of many updates must not block Redis; the caller asks again for the rest.
    more = scanned >= SCAN_AT_MOST and #raws < limit
    if more or #raws == limit then break end
  end
  if read then from = idOf(read) + 1 end
  isDone = isDone or #page < count
end
-- The time of the last poll is exact to a second, and to some ten seconds while the poll waits.
local shownMs = acknowledges and SHOWN_MS or SHOWN_WAITING_MS
if default then
  acknowledge(cursorAfter, false)
  if now - tonumber(s.pulledAt or 0) >= shownMs then redis.call('HSET', state, 'pulledAt', nowMs) end
else
  local knownCursor, polledAt = consumerOf(known)
  if knownCursor ~= tostring(cursorAfter) or now - tonumber(polledAt) >= shownMs then
    redis.call('HSET', consumers, consumer, cursorAfter .. ' ' .. now)
  end
end
-- A long scan trims each time: to remove all that it mayPass at once would block Redis.
if more or (acknowledges and now - tonumber(s.trimmedAt) > TRIM_EVERY_MS) then trimLog(state, log, consumers, now) end
return reply.OK {
  from = from,
  throttled = throttled,
  more = more,
  updates = #raws,
  joined = table.concat(raws, ',\n'),
  appendedAtMs = appendedAt,
  answerBytes = size,
}
