-- Reads a consumer's updates and acknowledges as getUpdates does (offsets: last+1…last+11, larger, negative, zero).
-- KEYS  1 state  2 log  3 consumers  4 ids push has delivered (hidden from the default consumer)
-- ARGV  1 generation  2 now (ms)  3 consumer ('' is the default one)  4 offset  5 limit  6 timeout (ms)
--       7 '1' on the first read of a call: acknowledge  8 '1' for the platform's 3 s wait of repeated empty calls
--       9 kinds a named consumer wants (',message,poll,' or '' for all)
-- RESULT {'GONE'} | {'OFF'} | {'TOO_MANY'}
--      | {'OK', absolute offset to go on with while waiting, throttled (0/1), more to scan from (0: none), {raw…},
--         when the first of them was appended (ms, 0 when there is none)}
-- @include trim
local BODY_CAP = 4194304
local SLACK = 10
local TOO_OLD = 100000
local KEPT_MS = 120000
local MAX_CONSUMERS = 16
local SCAN_AT_MOST = 1000
local PAGE = 25

local state, log, consumers, hidden = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, name, offset, limit = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local default = name == ''
local s = redis.call('HMGET', state, 'gen', 'on', 'pull', 'last', 'n', 'acked', 'keptFrom', 'prevAck', 'prevAckAt', 'prevOffset', 'prevAt')
if not s[1] or s[1] ~= ARGV[1] then return { 'GONE' } end
if s[2] ~= '1' or s[3] ~= '1' then return { 'OFF' } end
local last, n, keptFrom = tonumber(s[4]), tonumber(s[5]), tonumber(s[7])

local acked
if default then
  acked = tonumber(s[6])
else
  local known = redis.call('HGET', consumers, name)
  if known then
    acked = tonumber(string.match(known, '^%d+'))
  else
    -- Those that nobody has polled for a day go with the next trimming, which a quiet bot may not have had.
    if redis.call('HLEN', consumers) >= MAX_CONSUMERS then trimLog(state, log, consumers, now) end
    if redis.call('HLEN', consumers) >= MAX_CONSUMERS then return { 'TOO_MANY' } end
    acked = 0
  end
end

local function acknowledge(id)
  if id <= acked then return end
  acked = id
  if not default then return end
  local prevAck, prevAckAt = tonumber(s[8]), tonumber(s[9])
  if now - prevAckAt >= KEPT_MS then
    keptFrom = prevAck
    redis.call('HSET', state, 'keptFrom', keptFrom, 'prevAck', acked, 'prevAckAt', now)
    s[8], s[9] = acked, now
  end
  redis.call('HSET', state, 'acked', acked, 'ackedN', ordinalUpTo(log, acked, n))
  if redis.call('EXISTS', hidden) == 1 and #redis.call('XRANGE', log, '(' .. acked, '+', 'COUNT', 1) == 0 then redis.call('DEL', hidden) end
end

-- A slower poller of the same consumer may still read what a faster one acknowledged a moment ago.
local function oldestReadable()
  if keptFrom > 0 then return keptFrom + 1 end
  local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)
  return #first > 0 and idOf(first[1]) or acked + 1
end

local from = nil
if ARGV[7] == '1' then
  local tail = last + 1
  if offset < 0 then
    local left, newest = -offset, nil
    local at = '+'
    while left > 0 do
      local page = redis.call('XREVRANGE', log, at, '(' .. acked, 'COUNT', math.min(left, 100))
      if #page == 0 then break end
      for _, found in ipairs(page) do
        local entry = fieldsOf(found)
        if left > 0 and not (default and entry.muted) then newest, left = entry.id, left - 1 end
        at = '(' .. entry.id
      end
    end
    if newest then acknowledge(newest - 1) end
    offset = 0
  elseif offset > 0 and last > 0 and offset <= tail + SLACK and offset >= acked + 1 - TOO_OLD then
    if offset > tail then
      last = offset - 1
      redis.call('HSET', state, 'last', last)
    end
    if offset > acked then
      acknowledge(offset - 1)
      from = offset
    elseif offset >= oldestReadable() then
      from = offset
    end
  end
    offset = from or acked + 1
elseif offset > acked + 1 and offset <= last + 1 + SLACK then
  from = offset
elseif offset > 0 and offset <= acked and offset >= oldestReadable() then
  from = offset
end

from = from or acked + 1

local throttled = 0
if default and ARGV[8] == '1' then
  if s[10] == ARGV[4] and now - tonumber(s[11]) < 3000 and tonumber(ARGV[6]) < 3000 then throttled = 1 end
  redis.call('HSET', state, 'prevOffset', ARGV[4], 'prevAt', now)
end
if default then
  redis.call('HSET', state, 'pulledAt', now)
else
  redis.call('HSET', consumers, name, acked .. ' ' .. now)
end

local wanted = ARGV[9]
local raws, size, scanned, moreFrom, appendedAt = {}, 0, 0, 0, 0
local at = '(' .. (from - 1)
while #raws < limit and moreFrom == 0 do
  local page = redis.call('XRANGE', log, at, '+', 'COUNT', math.min(limit - #raws, PAGE))
  if #page == 0 then break end
  for _, found in ipairs(page) do
    local entry = fieldsOf(found)
    at = '(' .. entry.id
    scanned = scanned + 1
    local skip = entry.expires <= now
      or (default and (entry.muted or redis.call('SISMEMBER', hidden, entry.id) == 1))
      or (not default and wanted ~= '' and not string.find(wanted, ',' .. entry.kind .. ',', 1, true))
    if not skip then
      size = size + 50 + #entry.raw
      if size > BODY_CAP and #raws > 0 then
        limit = #raws
        break
      end
      if #raws == 0 then appendedAt = entry.at end
      raws[#raws + 1] = entry.raw
    end
    if scanned >= SCAN_AT_MOST and #raws == 0 then
      moreFrom = entry.id + 1
      break
    end
  end
end
if ARGV[7] == '1' and now - tonumber(redis.call('HGET', state, 'trimmedAt')) > 5000 then trimLog(state, log, consumers, now) end
return { 'OK', offset, throttled, moreFrom, raws, appendedAt }
