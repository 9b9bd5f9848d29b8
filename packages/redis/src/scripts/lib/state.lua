-- Fields of a bot's state hash by their names in code. These stored names are older: running releases read them, so they stay.
local STORED = {
  registrationId = 'gen', revision = 'rev', lastId = 'last', allowedCount = 'n',
  pullCursor = 'acked', pullCursorCount = 'ackedN', pushCursor = 'filed', pushCursorCount = 'filedN', rulesCursor = 'looked',
  pushFloor = 'floor', rulesFloor = 'ruledTo', pushPending = 'pend', rulesPending = 'routing', rulesUnread = 'unlooked',
  pollingFencingToken = 'e:polling', pushFencingToken = 'e:push', rulesFencingToken = 'e:rules',
  pushClaim = 'round:push', rulesClaim = 'round:rules', pushSuspect = 'alone:push', rulesSuspect = 'alone:rules',
  failingSince = 'failSince', probeIntervalMs = 'probeMs', openUntil = 'closedUntil',
}

-- The named fields; what is absent is nil.
local function readState(state, names)
  local stored, read = {}, {}
  for i, name in ipairs(names) do stored[i] = STORED[name] or name end
  for i, value in ipairs(redis.call('HMGET', state, unpack(stored))) do read[names[i]] = value or nil end
  return read
end

local function append(list, ...)
  for _, part in ipairs({ ... }) do list[#list + 1] = part end
end

-- Sets fields of the state, if there are any: name, value …
local function writeState(state, changes)
  if #changes == 0 then return end
  for i = 1, #changes, 2 do changes[i] = STORED[changes[i]] or changes[i] end
  redis.call('HSET', state, unpack(changes))
end

-- The breaker closes: updates flow to the backend.
local function closeBreaker(state)
  redis.call('HDEL', state, STORED.failingSince, STORED.probeIntervalMs, STORED.openUntil)
end
