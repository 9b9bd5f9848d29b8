-- @include state
-- Update ids never fall below earlier ones, even when Redis comes back with less data. Postgres has an upper bound of
-- them (`reserved`), which is raised well ahead.
local MAX_ID = 2147483647
local RESERVED_AHEAD = 50000

-- The server's run id: another one after every restart and every failover.
local function runId()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
end

-- If Postgres has reserved higher ids than the state knows, the state was created again or is old. Not so if this run of
-- the server wrote the state: then the ids were reserved just now, and note-reserved has not stored that yet.
local function beginAbove(state, reserved, isNew)
  -- @read s <- state: lastId, reserved, run
  if reserved <= tonumber(s.reserved or 0) then return end
  local isOld = isNew or s.run ~= runId()
  local last = isOld and math.max(tonumber(s.lastId), reserved) or s.lastId
  writeState(state, { '@reserved', reserved, '@lastId', last })
end

-- The newest id, as a number and as a text, after which polled updates or those that the platform pushes get theirs, and the reserved id;
-- nil while Redis may have lost ids and it is not known which Postgres has reserved (nil for that). s: lastId, own, reserved, run
local function idsToAppendAfter(state, s, runIds, polled, reservedInPostgres)
  local last, reserved = tonumber(s.lastId), tonumber(s.reserved or 0)
  if string.find(runIds, s.run or '?', 1, true) then return last, s.lastId, reserved end
  local run = runId()
  if s.run == run then return last, s.lastId, reserved end
  if not reservedInPostgres then return nil end
  -- Polled ids rise by themselves. They need the reserved id only if the state is certainly old.
  if not polled or s.newestIsOurs == '1' or reservedInPostgres > reserved then
    last = math.max(last, reserved, reservedInPostgres)
  end
  reserved = math.max(reserved, reservedInPostgres)
  writeState(state, { '@run', run, '@lastId', tostring(last), '@reserved', reserved })
  return last, tostring(last), reserved
end

-- The newest id, above which one more can be made of our own; nil while Redis may have lost ids and it is not known which
-- Postgres has reserved (nil for that). s: lastId, reserved, run.
local function newestId(state, s, reservedInPostgres)
  local last, run = tonumber(s.lastId), runId()
  if s.run == run then return last, tonumber(s.reserved or 0) end
  if not reservedInPostgres then return nil end
  local reserved = math.max(tonumber(s.reserved or 0), reservedInPostgres)
  writeState(state, { '@run', run, '@reserved', reserved })
  return math.max(last, reserved), reserved
end
