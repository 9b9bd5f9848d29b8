-- Programs of a bot that push. Each has a hash with the fields of a push reader, and lanes of its own; its consumer has
-- its floor (lib/trim.lua).
-- @include trim
-- @include lanes
-- @include pending
-- @include dead-letter

-- The keys of a program. prefix: those of the bot's programs, to which the id is added.
local function programKeys(prefix, id)
  local ofProgram = prefix .. id .. ':'
  return {
    state = ofProgram .. 'state',
    lanes = ofProgram .. 'lanes',
    inFlight = ofProgram .. 'in-flight',
    work = ofProgram .. 'work',
    redriven = ofProgram .. 'redriven',
    lanePrefix = ofProgram .. 'lane:',
    attempts = ofProgram .. 'attempts',
    excerpts = ofProgram .. 'excerpts',
    deliveredAhead = ofProgram .. 'delivered-ahead',
    chats = ofProgram .. 'chats',
    stagedChats = ofProgram .. 'chats:staged',
  }
end

local BACKEND_REMOVED = { code = 'backend_removed', reason = 'its backend was removed', attempts = 0 }

-- Redriven updates without a reader become dead letters again, but no replayed copies. bot: id, registration, history,
-- pendingTurns, now
local function giveUpRedriven(bot, reader, texts, failure)
  for _, text in ipairs(texts) do
    local entry = cjson.decode(text)
    if not entry.copy then
      local origin = { bot = bot.id, registration = bot.registration, now = bot.now, reader = reader }
      addDeadLetter(bot.history, origin, entry, failure)
      redis.call('ZADD', bot.pendingTurns, 'NX', bot.now, 'history')
    end
  end
end

-- Push begins at the cursor of the consumer. count: how many allowed updates there were up to it
local function beginProgramPush(keys, cursor, count, target)
  -- stylua: ignore
  writeState(keys.state, { '@push', 1, '@pushCursor', cursor, '@pushCursorCount', count, '@pushPending', 0,
    '@pushFloor', cursor, '@target', target })
  closeBreaker(keys.state)
  redis.call('HDEL', keys.state, '@pushErr', '@pushErrAt', '@pushOkAt', '@goneSince', '@parkedAt', '@parkedFor')
end

-- Pull goes on at the lowest id that waits, without the later ones that were delivered. Returns its cursor.
local function endProgramPush(keys, bot, reader, log, pushCursor)
  local lowest = rememberDeliveredAhead(keys.lanes, keys.lanePrefix, log, pushCursor, keys.deliveredAhead)
  if lowest then redis.call('HSET', keys.state, '@hasDeliveredAhead', 1) end
  giveUpRedriven(bot, reader, clearLanes(keys, keys.lanePrefix), BACKEND_REMOVED)
  redis.call('HINCRBY', keys.state, '@pushFencingToken', 1)
  writeState(keys.state, { '@push', 0, '@pushPending', 0 })
  return lowest and lowest - 1 or pushCursor
end

local function retryProgram(keys, target, now)
  retryNow(keys, now)
  closeBreaker(keys.state)
  redis.call('HDEL', keys.state, '@pushErr', '@pushErrAt', '@goneSince')
  redis.call('HSET', keys.state, '@target', target)
end

-- The program goes on at the end of the log. Its running turn stops, and what is in flight may still arrive. bot: as below
local function dropWaiting(bot, id)
  local keys, name = programKeys(bot.prefix, id), 'program:' .. id
  -- @read known <- keys.state: push
  giveUpRedriven(bot, name, clearLanes(keys, keys.lanePrefix), BACKEND_REMOVED)
  redis.call('DEL', keys.deliveredAhead)
  redis.call('HDEL', keys.state, '@hasDeliveredAhead')
  if known.push == '1' then
    redis.call('HINCRBY', keys.state, '@pushFencingToken', 1)
    -- stylua: ignore
    writeState(keys.state, { '@pushCursor', bot.last, '@pushCursorCount', bot.count, '@pushFloor', bot.last,
      '@pushPending', 0 })
    closeBreaker(keys.state)
    endPending(bot.pendingTurns, bot.id .. ':' .. name)
  end
  redis.call('HSET', bot.consumers, name, bot.last .. ' ' .. bot.now)
end

local function forgetProgram(keys)
  clearLanes(keys, keys.lanePrefix)
  redis.call('DEL', keys.state, keys.attempts, keys.excerpts, keys.deliveredAhead, keys.chats, keys.stagedChats)
end

-- Brings the programs in line with the configuration, and returns the ids of those that updates wake from now on. bot: as
-- above, and log, consumers, prefix, last, count, on, woken (the ids that were returned before); ids: ',1,5,'; kept: the
-- same and those that are not forgotten yet; pushing: those that push, ' 5:1:target', with 1 unless it is paused
local function applyPrograms(bot, ids, kept, pushing)
  local wanted, woken, isWoken = {}, {}, {}
  for id, enabled, target in string.gmatch(pushing, '(%d+):(%d):(%w*)') do
    wanted[id] = target
    if enabled == '1' then
      woken[#woken + 1], isWoken[id] = id, true
    end
  end
  -- A new program begins at the end of the log, and a deleted one leaves it.
  for id in string.gmatch(ids, '%d+') do
    if redis.call('HEXISTS', bot.consumers, 'program:' .. id) == 0 then
      redis.call('HSET', bot.consumers, 'program:' .. id, bot.last .. ' ' .. bot.now)
    end
  end
  for _, name in ipairs(redis.call('HKEYS', bot.consumers)) do
    if isProgram(name) then
      local id = string.sub(name, 9)
      local keys = programKeys(bot.prefix, id)
      local turn = bot.id .. ':' .. name
      -- @read known <- keys.state: push, target, pushCursor
      if not string.find(kept, ',' .. id .. ',', 1, true) then
        forgetProgram(keys)
        redis.call('HDEL', bot.consumers, name)
        endPending(bot.pendingTurns, turn)
      elseif not string.find(ids, ',' .. id .. ',', 1, true) then
        endPending(bot.pendingTurns, turn)
      elseif wanted[id] and known.push ~= '1' then
        local cursor = string.match(redis.call('HGET', bot.consumers, name), '^%d+')
        beginProgramPush(keys, cursor, countUpTo(bot.log, cursor, bot.count), wanted[id])
        redis.call('HSET', bot.consumers, name, cursor .. ' ' .. bot.now)
      elseif wanted[id] and known.target ~= wanted[id] then
        retryProgram(keys, wanted[id], bot.now)
        -- If the wake is lost, check-programs finds that something is due and no turn is pending.
        endPending(bot.pendingTurns, turn)
      elseif not wanted[id] and known.push == '1' then
        local cursor = endProgramPush(keys, bot, name, bot.log, tonumber(known.pushCursor))
        redis.call('HSET', bot.consumers, name, cursor .. ' ' .. bot.now)
        endPending(bot.pendingTurns, turn)
      end
      -- If the wake is lost, upkeep finds the pending turns of those that go on. The turn of one that was woken before may
      -- sleep, and no update would wake it while it is pending.
      if isWoken[id] and bot.on and not string.find(',' .. bot.woken .. ',', ',' .. id .. ',', 1, true) then
        redis.call('ZADD', bot.pendingTurns, 'NX', bot.now, turn)
        redis.call('HDEL', keys.state, '@goneSince')
      elseif wanted[id] and not (isWoken[id] and bot.on) then
        endPending(bot.pendingTurns, turn)
      end
    end
  end
  return table.concat(woken, ',')
end
