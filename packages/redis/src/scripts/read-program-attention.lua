-- Reads what is wrong with programs of bots of a shard.
-- @keys state  of one of the bots
-- @args programs: text  as <bot id>:<program id>:<ms without a poll after which it is silent, 0 is never>:<kinds, as in read-page, or
--       d for the default set>, separated by spaces
--   defaultKinds: text  the default set, as in read-page
-- @reply text  of each program, separated by spaces; '-' where nothing is wrong, else a letter (f its backend fails, p it is
--       parked, s it is silent), since when (ms), a colon, and how many updates wait
-- @include clock
-- @include log
-- @include trim
-- More updates in a row that are not for a program are taken for some that wait: whoever polls would have passed them.
local LOOKED_AT, LOOKED_AT_ONCE = 500, 50

local found, prefix, now = {}, string.match(state, '^(.*:)%d+:state$'), serverNow()

local function isWaiting(entry, program, kinds)
  if expiresAtOf(entry) <= now then return false end
  if not isMarked(entry) then return isOfKind(kinds, kindOf(entry)) end
  local fields = fieldsOf(entry)
  return isFor(fields, program) and (fields.owner ~= nil or isOfKind(kinds, fields.kind))
end

-- True if anything behind the cursor is for the program. Mostly the first one is.
local function isAnyFor(log, cursor, program, kinds)
  local after, looked, size = cursor, 0, 1
  while looked < LOOKED_AT do
    local page = redis.call('XRANGE', log, '(' .. after, '+', 'COUNT', textOf(size))
    for _, entry in ipairs(page) do
      if isWaiting(entry, program, kinds) then return true end
    end
    if #page < size then return false end
    after, looked, size = idTextOf(page[#page]), looked + size, LOOKED_AT_ONCE
  end
  return true
end

local function silenceOf(bot, id, cursor, polledAt, silent)
  local botState, log = prefix .. bot .. ':state', prefix .. bot .. ':log'
  if silent.afterMs == 0 or now - tonumber(polledAt) < silent.afterMs then return '-' end
  -- @read s <- botState: allowedCount, servedSince
  if now - tonumber(s.servedSince or 0) < silent.afterMs then return '-' end
  local waiting = countAfter(log, cursor, tonumber(s.allowedCount or 0))
  return waiting > 0 and isAnyFor(log, cursor, id, silent.kinds) and 's' .. polledAt .. ':' .. waiting or '-'
end

local function waitingForPush(bot, p)
  local botState = prefix .. bot .. ':state'
  -- @read s <- botState: allowedCount
  return tonumber(s.allowedCount or 0) - tonumber(p.pushCursorCount or 0) + tonumber(p.pushPending or 0)
end

local function attentionOf(bot, id, silent)
  local program = prefix .. bot .. ':program:' .. id .. ':state'
  -- @read p <- program: push, failingSince, parkedAt, polledAt, pushCursorCount, pushPending
  local pushes = p.push == '1'
  if pushes and not p.parkedAt then
    return p.failingSince and 'f' .. p.failingSince .. ':' .. waitingForPush(bot, p) or '-'
  end
  local cursor, polledAt = consumerOf(redis.call('HGET', prefix .. bot .. ':consumers', 'program:' .. id))
  -- A poll ends the parking of a program that pulls, and leaves the field.
  if p.parkedAt and (pushes or tonumber(p.parkedAt) >= tonumber(polledAt or 0)) then
    return 'p' .. p.parkedAt .. ':0'
  end
  if pushes or not cursor then return '-' end
  -- Parked ones have 0 there.
  if polledAt == '0' then polledAt = p.polledAt or '0' end
  return silenceOf(bot, id, cursor, polledAt, silent)
end

for bot, id, afterMs, kinds in string.gmatch(programs, '(%d+):(%d+):(%d+):([^ ]*)') do
  found[#found + 1] =
    attentionOf(bot, id, { afterMs = tonumber(afterMs), kinds = kinds == 'd' and defaultKinds or kinds })
end
return table.concat(found, ' ')
