-- @include trim
-- How many updates wait for a bot's active readers: for the quickest, which limits intake, and for the slowest, which
-- determines memory. Both are 0 when nobody reads. s: the state, with
-- allowedCount, pull, push, pushKeptUntil, pullCursorCount, pushCursorCount, pushPending, rules, rulesUnread, rulesPending.
local function backlogOf(s, now)
  local count, quickest, slowest = tonumber(s.allowedCount), nil, 0
  if s.pull == '1' then
    quickest = count - tonumber(s.pullCursorCount)
    slowest = quickest
  end
  if s.push == '1' or tonumber(s.pushKeptUntil) > now then
    local behind = count - tonumber(s.pushCursorCount) + tonumber(s.pushPending)
    quickest = math.min(quickest or behind, behind)
    slowest = math.max(slowest, behind)
  end
  if s.rules == '1' then
    local behind = tonumber(s.rulesUnread) + tonumber(s.rulesPending)
    -- Rules stop intake only where nobody else reads.
    quickest = quickest or behind
    slowest = math.max(slowest, behind)
  end
  return quickest or 0, slowest
end

-- The same for the programs that hold the log. The quickest is nil when there are none. It looks at every program, so
-- callers ask only when it may matter.
local function programBacklog(s, log, consumers)
  local count, quickest, slowest, named = tonumber(s.allowedCount), nil, 0, redis.call('HGETALL', consumers)
  for i = 1, #named, 2 do
    local cursor, polledAt = consumerOf(named[i + 1])
    if isProgram(named[i]) and polledAt ~= '0' then
      local behind = countAfter(log, cursor, count)
      quickest = math.min(quickest or behind, behind)
      slowest = math.max(slowest, behind)
    end
  end
  return quickest, slowest
end

-- True if an append would exceed the limits. One slow reader does not stop intake unless memory is tight: the platform keeps
-- updates when every reader is at its limit. limits: quickest, slowest (nil unless memory is tight), programs and
-- onlyPrograms (whether some read, and nobody else)
local function isFull(s, log, consumers, limits, now)
  local quickest, slowest = backlogOf(s, now)
  local isTight, onlyPrograms = limits.slowest ~= nil, limits.onlyPrograms
  if limits.programs and (isTight or (onlyPrograms and redis.call('XLEN', log) >= limits.quickest)) then
    local quick, slow = programBacklog(s, log, consumers)
    slowest = math.max(slowest, slow)
    if onlyPrograms then quickest = quick or quickest end
  end
  return quickest >= limits.quickest or (isTight and slowest >= limits.slowest)
end
