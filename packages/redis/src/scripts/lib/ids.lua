-- @include state
-- Update ids never fall below earlier ones, even when Redis comes back with less data. Postgres has an upper bound of
-- them (`reserved`), which is raised well ahead.

-- The server's run id: another one after every restart and every failover.
local function runId()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
end

-- When Postgres knows of ids that the state does not, the state was created again, or is older.
local function beginAbove(state, reserved)
  -- @read s <- state: lastId, reserved
  if reserved <= tonumber(s.reserved or 0) then return end
  writeState(state, { '@reserved', reserved, '@lastId', math.max(tonumber(s.lastId), reserved) })
end
