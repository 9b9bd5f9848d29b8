-- Every log entry holds the same fields in the same order:
--   u raw update, k kind, l lane, t accepted at (ms), x expires at (ms), n number of allowed ones up to it,
--   m '1': of a kind that allowed_updates leaves out for the default readers
-- and tp, the traceparent, when its intake was traced.
local function idOf(entry)
  return tonumber(string.match(entry[1], '^%d+'))
end

local function fieldsOf(entry)
  local f = entry[2]
  return { id = idOf(entry), raw = f[2], kind = f[4], lane = f[6], at = tonumber(f[8]), expires = tonumber(f[10]), count = tonumber(f[12]), allowed = f[14] ~= '1', trace = f[16] }
end

local function entryAt(log, id)
  local found = redis.call('XRANGE', log, id, id)
  if #found == 0 then return nil end
  return fieldsOf(found[1])
end

-- How many allowed updates were appended up to and including this id; allowedCount is that of the whole log.
local function countUpTo(log, id, allowedCount)
  local before = redis.call('XREVRANGE', log, id, '-', 'COUNT', 1)
  if #before > 0 then return fieldsOf(before[1]).count end
  local after = redis.call('XRANGE', log, '(' .. id, '+', 'COUNT', 1)
  if #after == 0 then return allowedCount end
  local entry = fieldsOf(after[1])
  return entry.allowed and entry.count - 1 or entry.count
end
