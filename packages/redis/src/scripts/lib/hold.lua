-- Conversations that a person has taken over, by '<chat>' or '<chat>:<business connection>': what comes through one of them is never
-- held with the others. A hold is '<until> <for> <since>  <by>', times in ms. What is held is kept to be delivered after: members of one
-- score, '<conversation>|<id>|<expires>|<offset of update_id>|<kind>|<lane>|<raw>', so those of a conversation are a range of texts.
-- @include state
-- @include log
local MISSED_PER_CHAT = 1000
-- Missed updates can be delivered for so long after its hold ended by itself.
local MISSED_LIFE_MS = 86400000

local function holdOf(stored)
  local untilText, forText, sinceText, by = string.match(stored or '', '^(%d+) (%d+) (%d+) %S* (.*)$')
  if not untilText then return nil end
  return {
    expires = tonumber(untilText),
    forMs = tonumber(forText),
    since = tonumber(sinceText),
    by = by,
  }
end

local function storeHold(holds, chat, hold)
  local times = { textOf(hold.expires), textOf(hold.forMs), textOf(hold.since) }
  redis.call('HSET', holds, chat, table.concat(times, ' ') .. '  ' .. hold.by)
end

-- Lists a held chat among those of its shard until that time (ms); nil: it is held no longer. Those whose time is over go.
local function listHeld(heldChats, botId, chat, now, ends)
  redis.call('ZREMRANGEBYSCORE', heldChats, '-inf', textOf(now))
  if not ends then return redis.call('ZREM', heldChats, botId .. ':' .. chat) end
  redis.call('ZADD', heldChats, textOf(ends), botId .. ':' .. chat)
  redis.call('PEXPIREAT', heldChats, redis.call('ZRANGE', heldChats, -1, -1, 'WITHSCORES')[2])
end

-- The chat of an update: mostly its lane has it. Quotes within texts are escaped, so no text looks like a field. nil for none.
local function chatOfEntry(lane, raw)
  local prefix, id = string.match(lane, '^(%l+):(-?%d+)$')
  if prefix and string.find('@lanes.ofChats', ',' .. prefix .. ',', 1, true) then return id end
  return string.match(raw, '"chat":%s*{%s*"id":%s*(-?%d+)')
end

-- A group that became a supergroup has '>' and its id in place of a hold, for its last updates.
local function supergroupOf(stored)
  return string.match(stored or '', '^>(-%d+)$')
end

-- The name under which a conversation is held now; nil: it is not.
local function heldNow(holds, conversation, now)
  local stored = redis.call('HGET', holds, conversation)
  local moved = supergroupOf(stored)
  local hold = holdOf(moved and redis.call('HGET', holds, moved) or stored)
  if hold and hold.expires > now then return moved or conversation end
end

-- The conversation as which an update of a chat is held now; nil: it is not. known: what was looked up before, by conversation
local function heldAs(holds, known, chat, raw, now)
  local connection = string.match(raw, '"business_connection_id":%s*"([^"]*)"')
  local conversation = connection and chat .. ':' .. connection or chat
  if known[conversation] == nil then known[conversation] = heldNow(holds, conversation, now) or false end
  return known[conversation] or nil
end

-- The mark of what is held, by that of the filters: those who see it are programs that would get it anyway.
local function markOfHeld(mark, owner, seesHeld)
  if owner then return string.find(seesHeld, ',' .. owner .. ',', 1, true) and 'h,' .. owner .. ',' or 'h,' end
  local held = 'h,'
  for id in string.gmatch(seesHeld, '%d+') do
    if not string.find(mark, ',' .. id .. ',', 1, true) then held = held .. id .. ',' end
  end
  return held
end

local function missedRange(chat)
  return '[' .. chat .. '|', '(' .. chat .. '}'
end

-- Keeps an update of a held chat; of too many, the newest ones. entry: id, expires, idStart, kind, lane, raw; lastEnd: when the last
-- hold of the bot ends (ms)
local function keepMissed(missed, chat, entry, lastEnd)
  local from, to = missedRange(chat)
  if redis.call('ZLEXCOUNT', missed, from, to) >= MISSED_PER_CHAT then
    redis.call('ZREM', missed, redis.call('ZRANGEBYLEX', missed, from, to, 'LIMIT', 0, 1)[1])
  end
  local place =
    string.format('%s|%016.0f|%s|%.0f|%s|%s|', chat, entry.id, entry.expires, entry.idStart, entry.kind, entry.lane)
  redis.call('ZADD', missed, 0, place .. entry.raw)
  if redis.call('ZCARD', missed) == 1 then redis.call('PEXPIREAT', missed, textOf(lastEnd + MISSED_LIFE_MS)) end
end

local function missedOf(member)
  local id, expires, idStart, kind, lane, raw = string.match(member, '^[^|]*|(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(.*)$')
  return {
    id = tonumber(id),
    expires = tonumber(expires),
    idStart = tonumber(idStart),
    kind = kind,
    lane = lane,
    raw = raw,
  }
end

local function missesAny(missed, chat)
  local from, to = missedRange(chat)
  return #redis.call('ZRANGEBYLEX', missed, from, to, 'LIMIT', 0, 1) > 0
end

-- True if a hold that has ended is still kept for what was missed.
local function isKeptEnded(missed, chat, hold, now)
  return hold.expires <= now and hold.expires + MISSED_LIFE_MS > now and missesAny(missed, chat)
end

local function forgetMissed(missed, chat)
  local from, to = missedRange(chat)
  redis.call('ZREMRANGEBYLEX', missed, from, to)
end

-- Notes that a hold lasts until then; nil: that one has ended. Of those that are over, a few are looked for and removed, so that many
-- held chats cost no more than one. Both keys go when nothing that the last hold kept can be delivered any more.
local LOOKED_AT = 20
local function noteHolds(state, holds, missed, now, ends)
  local some = redis.call('HRANDFIELD', holds, LOOKED_AT, 'WITHVALUES')
  for i = 1, #some, 2 do
    local moved = supergroupOf(some[i + 1])
    local hold = holdOf(moved and redis.call('HGET', holds, moved) or some[i + 1])
    if not hold or (hold.expires <= now and not isKeptEnded(missed, moved or some[i], hold, now)) then
      redis.call('HDEL', holds, some[i])
      forgetMissed(missed, some[i])
    end
  end
  if redis.call('EXISTS', holds) == 0 then
    redis.call('HDEL', state, '@heldUntil')
    redis.call('DEL', missed)
    return
  end
  local last = math.max(tonumber(redis.call('HGET', state, '@heldUntil') or 0), ends or 0)
  writeState(state, { '@heldUntil', textOf(last) })
  redis.call('PEXPIREAT', holds, textOf(last + MISSED_LIFE_MS))
  redis.call('PEXPIREAT', missed, textOf(last + MISSED_LIFE_MS))
end
