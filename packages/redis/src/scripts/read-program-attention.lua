-- Reads what is wrong with programs of bots of a shard.
-- @keys state  of one of the bots
-- @args nowMs: number
--   programs: text  as <bot id>:<program id>:<ms without a poll after which it is silent, 0 is never>, separated by spaces
-- @reply text  of each program, separated by spaces; '-' where nothing is wrong, else a letter (f its backend fails, p it is
--       parked, s it is silent), since when (ms), a colon, and how many updates wait
-- @include log
-- @include trim
local found, prefix = {}, string.match(state, '^(.*:)%d+:state$')

local function waitingFor(bot, cursor)
  local botState = prefix .. bot .. ':state'
  -- @read s <- botState: allowedCount
  return countAfter(prefix .. bot .. ':log', cursor, tonumber(s.allowedCount or 0))
end

local function waitingForPush(bot, p)
  local botState = prefix .. bot .. ':state'
  -- @read s <- botState: allowedCount
  return tonumber(s.allowedCount or 0) - tonumber(p.pushCursorCount or 0) + tonumber(p.pushPending or 0)
end

local function attentionOf(bot, id, silentAfterMs)
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
  if silentAfterMs == 0 or nowMs - tonumber(polledAt) < silentAfterMs then return '-' end
  local waiting = waitingFor(bot, cursor)
  return waiting > 0 and 's' .. polledAt .. ':' .. waiting or '-'
end

for bot, id, silentAfterMs in string.gmatch(programs, '(%d+):(%d+):(%d+)') do
  found[#found + 1] = attentionOf(bot, id, tonumber(silentAfterMs))
end
return table.concat(found, ' ')
