-- Appends the records in the arguments `first` to `last` to a history stream: the number of arguments of each, then its names
-- and values as the codec encodes them (packages/domain/src/records/history/stream/history-codec.ts). Returns how
-- many there were.
local function addHistoryRecords(history, args, first, last)
  local i, added = first, 0
  while i <= last do
    local count = tonumber(args[i])
    redis.call('XADD', history, '*', unpack(args, i + 1, i + count))
    i, added = i + count + 1, added + 1
  end
  return added
end
