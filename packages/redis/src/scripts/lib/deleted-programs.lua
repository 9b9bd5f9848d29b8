-- Updates that a deleted program took alone and did not acknowledge become dead letters of push, which can be sent to the bot's
-- backend. A call does only a part, so as not to block Redis.
-- @include programs
local LOOKED_AT_ONCE = 1000
local LETTERS_AT_ONCE = 200

-- The updates that the program took alone; bot: as in lib/programs.lua. Returns how many dead letters it made.
local function addLettersOf(bot, id, entries)
  local origin = { bot = bot.id, registration = bot.registration, now = bot.now, reader = 'push' }
  local reason = 'program ' .. id .. ', which took it alone, was deleted'
  for _, entry in ipairs(entries) do
    addDeadLetter(bot.history, origin, entry, { code = 'backend_removed', reason = reason, attempts = 0 })
  end
  if #entries > 0 then redis.call('ZADD', bot.pendingTurns, 'NX', bot.now, 'history') end
  return #entries
end

-- Updates that were sent to the program again, which the log does not have.
local function takeRedriven(keys)
  local taken = {}
  for _, field in ipairs(redis.call('HRANDFIELD', keys.redriven, LETTERS_AT_ONCE)) do
    local entry = cjson.decode(redis.call('HGET', keys.redriven, field))
    redis.call('HDEL', keys.redriven, field)
    if entry.exclusive == '1' then taken[#taken + 1] = entry end
  end
  return taken
end

-- True if the entry waits in its lane. Filed updates wait in the order of the log; what has left its lane was delivered or
-- given up. Entries are asked for in that order, and what is before them leaves the lane.
local function waitsInLane(keys, entry)
  local lane, waiting = keys.lanePrefix .. entry.lane, false
  local head = redis.call('LINDEX', lane, 0)
  while head and not waiting and (string.sub(head, 1, 1) == 'r' or tonumber(head) <= entry.id) do
    waiting = tonumber(head) == entry.id
    redis.call('LPOP', lane)
    head = redis.call('LINDEX', lane, 0)
  end
  return waiting
end

-- True if the program is done with the entry. known: its state, with hasDeliveredAhead and filedTo
local function hasEntry(keys, known, entry)
  if known.hasDeliveredAhead and redis.call('SISMEMBER', keys.deliveredAhead, entry.id) == 1 then return true end
  return entry.id <= known.filedTo and not waitsInLane(keys, entry)
end

-- name: the consumer of the program. Returns whether there is more.
local function deadLetterTaken(bot, name)
  local cursor, id = string.match(redis.call('HGET', bot.consumers, name), '^%d+'), string.sub(name, 9)
  local keys = programKeys(bot.prefix, id)
  -- @read known <- keys.state: push, pushCursor, hasDeliveredAhead
  known.filedTo = known.push == '1' and tonumber(known.pushCursor) or 0
  -- A newer fencing token stops a running turn, so that it claims nothing meanwhile.
  if known.push == '1' then redis.call('HINCRBY', keys.state, '@pushFencingToken', 1) end
  local looked, letters = 0, addLettersOf(bot, id, takeRedriven(keys))
  if redis.call('EXISTS', keys.redriven) == 1 then return true end
  while looked < LOOKED_AT_ONCE and letters < LETTERS_AT_ONCE do
    local page, taken = redis.call('XRANGE', bot.log, '(' .. cursor, '+', 'COUNT', LETTERS_AT_ONCE - letters), {}
    if #page == 0 then return false end
    for _, found in ipairs(page) do
      local entry = fieldsOf(found)
      cursor = entry.id
      -- An expired update in its lane would have become a dead letter; nobody reads the rest of it any more.
      local isDue = entry.expires > bot.now or entry.id <= known.filedTo
      local isOwn = entry.owner == id and entry.exclusive == '1'
      if isOwn and isDue and not hasEntry(keys, known, entry) then taken[#taken + 1] = entry end
    end
    letters = letters + addLettersOf(bot, id, taken)
    looked = looked + #page
  end
  redis.call('HSET', bot.consumers, name, cursor .. ' ' .. bot.now)
  return true
end
