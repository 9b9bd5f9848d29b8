-- @include state
-- Update ids never fall below those that were handed out: Postgres has a number that none of them is above (`reserved`),
-- raised well ahead, for when Redis comes back with less than it had.

-- Names the server as it runs now: another one after every restart and every failover.
local function runId()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
end

-- Where Postgres knows of ids that the state does not, the state was made anew, or is older.
local function beginAbove(state, reserved)
  local s = readState(state, { 'lastId', 'reserved' })
  if reserved <= tonumber(s.reserved or 0) then return end
  writeState(state, { 'reserved', reserved, 'lastId', math.max(tonumber(s.lastId), reserved) })
end
