-- The newest updates of a bot, the newest first: people look at them and replay them when no reader needs them any more.
-- @include state
local RECENT_KEPT, RECENT_BYTES, RECENT_LIFE_S = 20, 4096, 86400

-- Keeps the texts of updates, the newest last.
local function keepRecent(list, texts)
  if #texts == 0 then return end
  redis.call('LPUSH', list, unpack(texts, math.max(1, #texts - RECENT_KEPT + 1)))
  redis.call('LTRIM', list, '0', textOf(RECENT_KEPT - 1))
  redis.call('EXPIRE', list, textOf(RECENT_LIFE_S))
end
