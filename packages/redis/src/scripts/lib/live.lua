-- The live stream of a bot: what happens to it while somebody watches, for GET /api/live. It is written only while
-- watchedUntil lies ahead, it is short, and only watch-bot creates it, with a time to live.
local LIVE_ENTRIES = 1000
local LIVE_BYTES = 32768

-- bytes: the length of the entry's texts. Of a larger event, watchers learn only that it was left out.
local function addLive(live, bytes, ...)
  if bytes > LIVE_BYTES then
    redis.call('XADD', live, 'NOMKSTREAM', 'MAXLEN', '~', LIVE_ENTRIES, '*', 't', 'omitted')
  else
    redis.call('XADD', live, 'NOMKSTREAM', 'MAXLEN', '~', LIVE_ENTRIES, '*', ...)
  end
end

-- Tells the processes that follow the bot's live stream.
local function announceLive(botId)
  redis.call('PUBLISH', '@channels.live', botId)
end

-- Tells every process that the bot's state, as GET /api/bots shows it, has changed.
local function announceState(botId)
  redis.call('PUBLISH', '@channels.botState', botId)
end
