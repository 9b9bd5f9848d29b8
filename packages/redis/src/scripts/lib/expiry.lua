-- How long updates are kept, and the bitmaps of those that were seen.
-- @include state
-- Longer than the platform keeps updates, also when it was set half an hour ago.
local SEEN_LIFE_S = 90000
local SEEN_PROLONGED_MS = 1800000
-- An update that is old when it arrives is still kept for an hour.
local LATE_LIFE_MS = 3600000

-- Prolongs the life of a bitmap of seen ids, at most twice an hour. prolonged: which one was prolonged last, and when (ms): the ids of
-- a bot are mostly in one. Returns the new one.
local function prolongSeen(prolonged, key, now)
  local bitmap, since = string.match(prolonged or '', '^(%d+) (%d+)$')
  if bitmap == string.match(key, '%d+$') and now - tonumber(since) < SEEN_PROLONGED_MS then return prolonged end
  redis.call('EXPIRE', key, SEEN_LIFE_S)
  return string.match(key, '%d+$') .. ' ' .. textOf(now)
end

-- When (ms, a text) an update expires. byEvent: by the date of its event, '' when it has none
local function expiryOf(keepMs, byEvent, now)
  if byEvent == '' then return textOf(now + keepMs) end
  local expiresAt = tonumber(byEvent)
  if expiresAt > now + keepMs then return textOf(now + keepMs) end
  if expiresAt < now + LATE_LIFE_MS then return textOf(now + LATE_LIFE_MS) end
  return byEvent
end
