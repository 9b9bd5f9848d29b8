-- Sets fields of a bot's state, if it is of the same registration.
-- @keys state
-- @args registrationId: text
--   ...changes field: text, value: scalar
--   ...times: text  fields that are set to the time
-- @reply flag  it was set
-- @include state
-- @include clock
-- @read s <- state: registrationId
if s.registrationId ~= registrationId then return 0 end
local written = { unpack(ARGV, span(changes)) }
local now = textOf(serverNow())
for i in each(times) do
  addField(written, times[i], now)
end
writeState(state, written)
return 1
