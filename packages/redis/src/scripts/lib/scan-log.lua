-- Reads the log for a consumer, a part in each call so as not to block Redis. reader: as in lib/consumer.lua
-- @include consumer
local BODY_CAP = 4194304
local SCAN_AT_MOST = 1000
local PAGE = 25
local PAGE_OF_SOME_KINDS = 100

-- Counts back so many entries that the reader wants, from where an earlier call stopped ('+' at first) and with the id that it
-- counted last. Returns left, at and counted, from which the next call goes on; isWhole: there is no more to count.
local function countBack(reader, left, at, counted)
  local looked = 0
  while left > 0 do
    if looked >= SCAN_AT_MOST then return { left = left, at = at, counted = counted, isWhole = false } end
    local size = reader.kinds == '' and math.min(left, PAGE_OF_SOME_KINDS) or PAGE_OF_SOME_KINDS
    local page = redis.call('XREVRANGE', reader.log, at, '(' .. reader.cursor, 'COUNT', size)
    if #page == 0 then break end
    for _, found in ipairs(page) do
      if left > 0 and isWantedBy(reader, found) then
        counted, left = idOf(found), left - 1
      end
      at = '(' .. found[1]
    end
    looked = looked + #page
  end
  return { left = left, at = at, counted = counted, isWhole = true }
end

-- Reads up to `limit` updates from an id on. Returns raws, their size and when the first was appended; from: where to go on, and
-- whether there is more to scan; cursorAfter: up to where the reader needs nothing more.
local function scanLog(reader, from, limit, answerBytes)
  local raws, size, scanned, appendedAt = {}, answerBytes, 0, nil
  local more, isDone = false, from > reader.last
  -- Updates that expired, that a program does not want, or that another one took must not hold the log: the cursor goes past them once
  -- all before it is acknowledged.
  local cursor, now = reader.cursor, reader.now
  local mayPass, cursorAfter = from <= cursor + 1, cursor
  while #raws < limit and not more and not isDone do
    local count = reader.kinds == '' and math.min(limit - #raws, PAGE) or PAGE
    local page = redis.call('XRANGE', reader.log, '(' .. (from - 1), '+', 'COUNT', textOf(count))
    local read
    for _, entry in ipairs(page) do
      if expiresAtOf(entry) > now and isWantedBy(reader, entry) and not isHidden(reader, entry) then
        local raw = rawOf(entry)
        local grown = size + 50 + #raw
        if grown > BODY_CAP and size > 0 then
          isDone = true
          break
        end
        size, raws[#raws + 1] = grown, raw
        appendedAt = appendedAt or appendedAtOf(entry)
        mayPass = mayPass and idOf(entry) <= cursor
      elseif mayPass and idOf(entry) > cursor then
        mayPass = isOverFor(reader, entry)
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
  return { raws = raws, size = size, appendedAt = appendedAt, from = from, more = more, cursorAfter = cursorAfter }
end
