-- Every log entry holds the same fields in the same order:
--   u raw update, k kind, l lane, t accepted at (ms), x expires at (ms), n number of allowed or taken ones up to it,
--   m '1': of a kind that allowed_updates leaves out for the default readers, or taken by a program
-- and then, where there is one, each with those before it:
--   tp  the traceparent
--   o   a mark that says who gets it: '=4' program 4 alone, '=0' nobody, ',4,7,' all but these programs. Of what is held: 'h,4,7,' these
--       programs, and named consumers that ask for it. Of what was held and comes after: 'm,4,7,' all but those that had it. Rules see
--       neither
--   r   of one that a reader gave up and gets again: whether its program had taken it alone ('1' or '0'). Only the readers that the
--       mark names and the default ones get it; rules and named consumers had it.
local function idTextOf(entry)
  return string.match(entry[1], '^%d+')
end
local function idOf(entry)
  return tonumber(idTextOf(entry))
end

-- Single fields of an entry: a script that reads many entries saves the time of making a table of each.
local function rawOf(entry)
  return entry[2][2]
end
local function kindOf(entry)
  return entry[2][4]
end
local function laneOf(entry)
  return entry[2][6]
end
local function appendedAtOf(entry)
  return tonumber(entry[2][8])
end
local function expiresAtOf(entry)
  return tonumber(entry[2][10])
end
local function countOf(entry)
  return entry[2][12]
end
local function isAllowedEntry(entry)
  return entry[2][14] ~= '1'
end
local function isMarked(entry)
  return entry[2][18] ~= nil
end

local function fieldsOf(entry)
  local f = entry[2]
  local mark = f[18]
  local owner = mark and string.match(mark, '^=(%d+)$')
  return {
    id = idOf(entry),
    raw = f[2],
    kind = f[4],
    lane = f[6],
    at = tonumber(f[8]),
    expires = tonumber(f[10]),
    count = tonumber(f[12]),
    allowed = f[14] ~= '1',
    trace = f[16],
    mark = mark,
    owner = owner,
    held = mark and string.match(mark, '^[hm]'),
    again = f[20] ~= nil,
    exclusive = owner and (f[20] or '1') or '0',
  }
end

-- True if this program gets an entry of its kinds; '' is every reader that is no program. seesHeld: of a named consumer
local function isFor(entry, program, seesHeld)
  if not entry.mark then return true end
  if entry.owner then return entry.owner == program end
  if entry.held and program == '' then return (entry.held == 'h') == (seesHeld or false) end
  local isNamed = string.find(entry.mark, ',' .. program .. ',', 1, true) ~= nil
  return isNamed == (entry.held == 'h')
end

-- True if a reader wants this kind. wanted: ',message,poll,', '' for all, '!,poll,' for all but these
local function isOfKind(wanted, kind)
  if wanted == '' then return true end
  return (string.find(wanted, ',' .. kind .. ',', 1, true) ~= nil) ~= (string.sub(wanted, 1, 1) == '!')
end

-- Makes it look as if program 0, which does not exist, took the update alone.
local MARK_OF_NOBODY = '=0'

-- True if the rules turn looks at an update, whatever kinds the bot's own client asked for: at messages, at bots to
-- adopt, and at answers to questions, which nobody else gets.
local function isForRules(kind, mark)
  if mark and string.find(mark, '^[hm]') then return false end
  return mark == MARK_OF_NOBODY or string.find('@kinds.routed', ',' .. kind .. ',', 1, true) ~= nil
end

local function entryAt(log, id)
  return redis.call('XRANGE', log, id, id)[1]
end

-- The part of an entry that a reader with lanes hands out, or makes a dead letter of.
local function unitOf(entry)
  local f = entry[2]
  local exclusive = f[18] and string.match(f[18], '^=%d+$') and (f[20] or '1') or '0'
  return {
    id = idOf(entry),
    raw = f[2],
    kind = f[4],
    at = tonumber(f[8]),
    expires = tonumber(f[10]),
    trace = f[16],
    exclusive = exclusive,
  }
end

-- How many allowed or taken updates were appended up to and including this id; allowedCount is that of the whole log,
-- and lastId its newest id, where the caller knows it.
local function countUpTo(log, id, allowedCount, lastId)
  if lastId and tonumber(id) >= lastId then return allowedCount end
  local before = redis.call('XREVRANGE', log, id, '-', 'COUNT', 1)
  if #before > 0 then return tonumber(countOf(before[1])) end
  local after = redis.call('XRANGE', log, '(' .. id, '+', 'COUNT', 1)
  if #after == 0 then return allowedCount end
  local entry = fieldsOf(after[1])
  return (entry.allowed or entry.owner) and entry.count - 1 or entry.count
end

-- How many entries wait after this id. Where entries before it are kept for others, those of kinds that are not allowed
-- are left out.
local function countAfter(log, id, allowedCount)
  local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  if first and tonumber(id) < idOf(first) then return redis.call('XLEN', log) end
  return allowedCount - countUpTo(log, id, allowedCount)
end
