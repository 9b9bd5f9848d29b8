-- Who gets the updates of an append, by the marks that filters gave them (lib/log.lua says what a mark is).
-- @include state
-- @include log
-- @include dead-letter
local ALBUM_BYTES = 4096

-- True if the default readers want this kind. allowed: as in the state
local function isAllowedKind(allowed, kind)
  if allowed == '' then return not string.find('@kinds.onDemand', ',' .. kind .. ',', 1, true) end
  return string.find(allowed, ',' .. kind .. ',', 1, true) ~= nil
end

-- pushing: ids of the programs that push, as the state has them; marksJson: '' for a bot without filters. nil where neither matters.
local function openAudience(state, consumers, pushing, marksJson)
  if marksJson == '' and (not pushing or pushing == '') then return nil end
  local audience = { state = state, consumers = consumers, pushing = {}, getsOne = {}, albumsChanged = false }
  audience.marks = marksJson ~= '' and cjson.decode(marksJson)
  for id in string.gmatch(pushing or '', '%d+') do
    audience.pushing[#audience.pushing + 1] = id
  end
  return audience
end

-- Later messages of an album go to the readers of its first one. The state remembers this for the newest albums.
local function markOfAlbum(audience, album, mark)
  local albums = audience.albums or redis.call('HGET', audience.state, '@albums') or ''
  local known = string.match(albums, '\n' .. string.gsub(album, '%-', '%%-') .. ' (%S*)')
  audience.albums = albums
  if known then return known end
  albums = albums .. '\n' .. album .. ' ' .. mark
  if #albums > ALBUM_BYTES then albums = string.match(albums, '\n.*', #albums - ALBUM_BYTES) end
  audience.albums, audience.albumsChanged = albums, true
  return mark
end

-- Of the programs that push only those that get one of the updates are woken.
local function noteReaders(audience, mark, owner)
  local getsOne = audience.getsOne
  for _, id in ipairs(audience.pushing) do
    if not getsOne[id] then
      if owner then
        getsOne[id] = owner == id
      else
        getsOne[id] = not string.find(mark, ',' .. id .. ',', 1, true)
      end
    end
  end
end

-- The mark of the update with this number, the program that takes it (nil for none), and whether that program is parked. Updates
-- that a deleted program would have taken go to everybody.
local function markOf(audience, number)
  local mark, owner, consumer = '', nil, nil
  if audience.marks then
    local album
    mark, album = string.match(audience.marks[number], '^(%S*) ?(.*)$')
    if album ~= '' then mark = markOfAlbum(audience, album, mark) end
    owner = string.match(mark, '^=(%d+)$')
    consumer = owner and mark ~= MARK_OF_NOBODY and redis.call('HGET', audience.consumers, 'program:' .. owner)
    if owner and not consumer and mark ~= MARK_OF_NOBODY then
      mark, owner = '', nil
    end
  end
  noteReaders(audience, mark, owner)
  return mark, owner, consumer and string.sub(consumer, -2) == ' 0' or false
end

-- An update that a parked program takes alone becomes a dead letter, which can be sent to the bot's backend. Returns its mark.
-- bot: id, registration, now; entry: id, raw
local function giveUpForParked(history, bot, owner, entry)
  local origin = { bot = bot.id, registration = bot.registration, now = bot.now, reader = 'push' }
  local reason = 'program ' .. owner .. ', which takes it alone, is parked'
  addDeadLetter(history, origin, entry, { code = 'too_far_behind', reason = reason, attempts = 0 })
  return MARK_OF_NOBODY
end

local function noteAlbums(audience, changes)
  if audience and audience.albumsChanged then addField(changes, '@albums', audience.albums) end
end
