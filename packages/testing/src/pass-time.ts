import type { Redis } from 'ioredis';

/** Those of a state and of a program's hash that are times (ms). */
const TIMES = [
  ...[
    'pushKeptUntil',
    'failingSince',
    'openUntil',
    'goneSince',
    'watchedUntil',
    'prevAckAt',
    'prevAt',
    'trimmedAt',
    'updateAt',
  ],
  ...[
    'pollOkAt',
    'pollErrAt',
    'hookOkAt',
    'refusedAt',
    'foreignAt',
    'pushOkAt',
    'pushErrAt',
    'pulledAt',
    'parkedAt',
    'polledAt',
  ],
];

const MOVE_BACK = `
local ms, times, inFlight = tonumber(ARGV[1]), cjson.decode(ARGV[2]), 9e15
local function earlier(at)
  return string.format('%.0f', tonumber(at) - ms)
end
local function moveScores(key)
  local found = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for i = 1, #found, 2 do
    local score = tonumber(found[i + 1])
    if score > 0 and score < inFlight then redis.call('ZADD', key, earlier(score), found[i]) end
  end
end
local function moveLog(key)
  local entries = redis.call('XRANGE', key, '-', '+')
  redis.call('DEL', key)
  for _, entry in ipairs(entries) do
    local fields = entry[2]
    fields[8], fields[10] = earlier(fields[8]), earlier(fields[10])
    redis.call('XADD', key, entry[1], unpack(fields))
  end
end
local move = {
  lanes = moveScores,
  log = moveLog,
  state = function(key)
    for _, field in ipairs(times) do
      local at = redis.call('HGET', key, field)
      if at and at ~= '0' then redis.call('HSET', key, field, earlier(at)) end
    end
    local bitmap, since = string.match(redis.call('HGET', key, 'seenProlonged') or '', '^(%d+) (%d+)$')
    if bitmap then redis.call('HSET', key, 'seenProlonged', bitmap .. ' ' .. earlier(since)) end
  end,
  consumers = function(key)
    local found = redis.call('HGETALL', key)
    for i = 1, #found, 2 do
      local cursor, at, rest = string.match(found[i + 1], '^(%d+) (%d+)(.*)$')
      if at ~= '0' then redis.call('HSET', key, found[i], cursor .. ' ' .. earlier(at) .. rest) end
    end
  end,
  redriven = function(key)
    local found = redis.call('HGETALL', key)
    for i = 1, #found, 2 do
      local entry = cjson.decode(found[i + 1])
      if entry.expires then
        entry.at, entry.expires = entry.at - ms, entry.expires - ms
        redis.call('HSET', key, found[i], cjson.encode(entry))
      end
    end
  end,
}
for _, key in ipairs(redis.call('KEYS', KEYS[1] .. ':*')) do
  local name = string.match(key, '[^:]+$')
  if move[name] then move[name](key) end
end
moveScores(KEYS[2])`;

/**
 * Moves what is stored of a bot into the past, as if so much time had gone by: nobody can set the clock of Redis. What expires in
 * Redis by itself stays.
 */
export async function passTime(
  commands: Pick<Redis, 'eval'>,
  { prefix, pendingTurns }: { prefix: string; pendingTurns: string },
  ms: number,
): Promise<void> {
  await commands.eval(MOVE_BACK, 2, prefix, pendingTurns, ms, JSON.stringify(TIMES));
}
