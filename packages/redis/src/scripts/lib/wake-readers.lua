-- Makes the turns of the readers pending that an append has something for.
-- @include state
-- @include pending
-- With so many updates behind it, push is woken only to move its cursor past what programs took; intake stops much later.
local WAKE_PUSH_TO_PASS_FROM = 500
local NOBODY = { push = false, rules = false, history = false, programs = {} }

-- s: the state, with pushCursorCount, openUntil; found: push, anyAllowed, routable, history, and count (the new allowedCount);
-- audience: as in lib/audience.lua, or nil. Returns who must be woken: push, rules, history, and the ids of programs.
local function wakeReaders(pendingTurns, s, botId, now, found, audience)
  local pushTurn, turns, pushing = botId .. ':push', {}, audience and audience.pushing or NOBODY.programs
  -- Updates that programs take alone count as waiting for push until push has passed them, and would stop intake in the end.
  local isForPush = found.anyAllowed or found.count - tonumber(s.pushCursorCount) >= WAKE_PUSH_TO_PASS_FROM
  -- While the breaker is open the turn sleeps until its next probe and reads the log then, so an append need not wake it.
  if found.push and isForPush and tonumber(s.openUntil or 0) <= now then turns[1] = pushTurn end
  -- A bot's own push comes first, then its programs, then its rules.
  for _, id in ipairs(pushing) do
    if audience.getsOne[id] then turns[#turns + 1] = botId .. ':program:' .. id end
  end
  local rulesTurn = botId .. ':rules'
  if found.routable then turns[#turns + 1] = rulesTurn end
  local toWake, isRunning, held = makePending(pendingTurns, turns, now)
  -- A running turn, perhaps waiting for a hanging request, must learn of new updates in its other lanes. The bot's id wakes
  -- all its turns.
  if isRunning then
    redis.call('PUBLISH', '@channels.turnNews', botId)
  else
    tellHeld(held)
  end
  local programs = {}
  for _, id in ipairs(pushing) do
    if toWake[botId .. ':program:' .. id] then programs[#programs + 1] = id end
  end
  return {
    push = toWake[pushTurn] or false,
    rules = toWake[rulesTurn] or false,
    history = found.history and redis.call('ZADD', pendingTurns, 'NX', textOf(now), 'history') or false,
    programs = programs,
  }
end
