-- Reads which programs of bots of a shard are in trouble.
-- @keys state  of one of the bots
-- @args programs: text  as <bot id>:<program id>, separated by spaces
-- @reply text  with a letter for each program: f its backend fails, p it is parked, - neither
local found, prefix = {}, string.match(state, '^(.*:)%d+:state$')

local function polledAtOf(bot, id)
  local consumer = redis.call('HGET', prefix .. bot .. ':consumers', 'program:' .. id)
  return tonumber(consumer and string.match(consumer, ' (%d+)$') or 0)
end

for bot, id in string.gmatch(programs, '(%d+):(%d+)') do
  local program = prefix .. bot .. ':program:' .. id .. ':state'
  -- @read p <- program: push, failingSince, parkedAt
  local pushes, letter = p.push == '1', '-'
  -- A poll ends the parking of a program that pulls, and leaves the field.
  if p.parkedAt and (pushes or tonumber(p.parkedAt) >= polledAtOf(bot, id)) then
    letter = 'p'
  elseif pushes and p.failingSince then
    letter = 'f'
  end
  found[#found + 1] = letter
end
return table.concat(found)
