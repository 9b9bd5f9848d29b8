-- Puts records on a history stream. They stand in `args` from `first` on: of each how many arguments it has, then its
-- names and values, as the history's codec has made them (packages/domain/src/history/stream/history-codec.ts).
local function addHistoryRecords(history, args, first)
  local i = first
  while i <= #args do
    local count = tonumber(args[i])
    redis.call('XADD', history, '*', unpack(args, i + 1, i + count))
    i = i + count + 1
  end
end
