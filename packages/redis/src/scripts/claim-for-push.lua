-- One round of a push turn: records what became of requests, files new updates into lanes, hands out what is due.
-- KEYS  as lib/reader.lua says, and  10 attempts
-- ARGV  as lib/reader.lua says, and after what has finished: '' or what to remember as the last error; when the earliest
--       request that failed was begun (ms, '' when none did); '1' when one succeeded; '1' when every answer was 410,
--       '0' when there were others, '' when there was none; then attempts (JSON each)
-- RESULT as lib/reader.lua says, with {more to file (0/1), whether there was nothing but 410 for 23 h (0/1),
--        last success before this round (ms), whether the breaker closed (0/1) or opened (0/1) in this round}
local READER = 'push'
-- @include reader
local FILE_AT_ONCE = 200
local ATTEMPTS_KEPT = 100
-- A backend that has failed for this long without a success is closed: one probe at a time, ever more rarely.
local CLOSE_AFTER_MS = 10000
local FIRST_PROBE_MS = 2000
local LONGEST_PROBE_MS = 60000
local GONE_FOR_MS = 23 * 3600000

local s = redis.call('HMGET', state, 'gen', 'e:push', 'on', 'push', 'round:push', 'filed', 'filedN', 'pend', 'failSince',
  'probeMs', 'closedUntil', 'pushOkAt', 'alone:push', 'goneSince')
local fencingToken, refusal = own(READER, s)
if not fencingToken then return { refusal } end
waiting = tonumber(s[8])
local filed, filedN = tonumber(s[6]), tonumber(s[7])
local failSince, closedUntil = tonumber(s[9]), tonumber(s[11] or 0)

local mine = settle()
local lastError, failedFrom, succeeded, onlyGone = ARGV[mine], ARGV[mine + 1], ARGV[mine + 2] == '1', ARGV[mine + 3]
if again then lastError, failedFrom, succeeded, onlyGone = '', '', false, '' end
if lastError ~= '' then note('pushErr', lastError, 'pushErrAt', now) end
if #ARGV >= mine + 4 and not again then
  redis.call('LPUSH', KEYS[10], unpack(ARGV, mine + 4))
  redis.call('LTRIM', KEYS[10], 0, ATTEMPTS_KEPT - 1)
end

local resumed, opened = 0, 0
if succeeded then
  note('pushOkAt', now)
  if failSince then redis.call('HDEL', state, 'failSince', 'probeMs', 'closedUntil') end
  if closedUntil > 0 then
    -- Pushes flow again: nobody waits for the rest of a long delay.
    closedUntil, resumed = 0, 1
    allDueNow(lanes, now)
  end
elseif failedFrom ~= '' then
  failSince = failSince or tonumber(failedFrom)
  note('failSince', failSince)
  if now - failSince >= CLOSE_AFTER_MS and closedUntil <= now then
    local probeMs = math.min(tonumber(s[10] or FIRST_PROBE_MS / 2) * 2, LONGEST_PROBE_MS)
    opened = closedUntil == 0 and 1 or 0
    closedUntil = now + probeMs
    note('probeMs', probeMs, 'closedUntil', closedUntil)
  end
end

local hopeless = 0
if onlyGone == '0' then
  if s[14] then redis.call('HDEL', state, 'goneSince') end
elseif onlyGone == '1' then
  local goneSince = tonumber(s[14] or now)
  note('goneSince', goneSince)
  if now - goneSince > GONE_FOR_MS then hopeless = 1 end
end

local more, active = false, s[3] == '1' and s[4] == '1'
if active then
  local fresh = redis.call('XRANGE', log, '(' .. filed, '+', 'COUNT', FILE_AT_ONCE)
  more = #fresh == FILE_AT_ONCE
  for _, found in ipairs(fresh) do
    local entry = fieldsOf(found)
    filed, filedN = entry.id, entry.ordinal
    if not entry.muted then fileInLane(entry.lane, entry.id) end
  end
  if #fresh > 0 then note('filed', filed, 'filedN', filedN) end
else
  room = 0
end

local probing = closedUntil > 0
if probing then room = (closedUntil <= now and redis.call('EXISTS', flight) == 0) and math.min(room, 1) or 0 end
local units = handOut(s[13], 0)
-- While a probe is out nothing has a time; after it the backend is resumed, or closed until the next one.
if probing and redis.call('EXISTS', flight) == 1 then quiet = true end
note('pend', waiting)
return answer(fencingToken, active, filed, 'floor', more, closedUntil, { more and 1 or 0, hopeless, tonumber(s[12] or 0), resumed, opened }, units)
