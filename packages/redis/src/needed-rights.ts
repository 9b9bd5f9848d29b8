import { channels, configKeys } from './keys.ts';

/** A key that nobody uses. Nothing is written to it, because the commands are queued and discarded. */
const UNUSED = '{check-config}';

/** Keys of ours begin with `{` or with `flotilla:`. */
const KEYS = [configKeys.version, 'flotilla:check-config'];

/** Every command that we, our scripts or BullMQ's send, as complete as Redis wants one before it looks at rights. */
const COMMANDS = `
  del K|exists K|expire K 1|get K|getbit K 0|getex K|hdel K f|hexists K f|hget K f|hgetall K|hincrby K f 1|hkeys K|hlen K
  hmget K f|hmset K f v|hrandfield K|hscan K 0|hset K f v|hsetnx K f v|hvals K|incr K|incrby K 1|lindex K 0|llen K|lpop K
  lpos K v|lpush K v|lrange K 0 1|lrem K 1 v|lset K 0 v|ltrim K 0 1|mget K|persist K|pexpire K 1|pexpireat K 1|pttl K
  rename K K|rpop K|rpoplpush K K|rpush K v|sadd K v|scan 0|scard K|set K v|setbit K 0 1|sismember K v|smembers K|srem K v
  type K|unlink K|xadd K * f v|xdel K 1-1|xlen K|xrange K - +|xread STREAMS K 0|xrevrange K + -|xtrim K MAXLEN 1
  zadd K 1 v|zcard K|zcount K 0 1|zincrby K 1 v|zlexcount K - +|zmscore K v|zpopmin K|zrange K 0 1|zrangebylex K - +
  zrangebyscore K 0 1|zrem K v|zremrangebylex K - +|zremrangebyrank K 0 1|zremrangebyscore K 0 1|zrevrange K 0 1
  zrevrangebyscore K 1 0|zscore K v|bzpopmin K 1
  time|info|ping|publish C v|client list|client setname flotilla|eval x 0|evalsha x 0|script load x|script exists x
  fcall x 0|function load x|function list|function delete x`
  .split(/[|\n]/)
  .map((line) => line.trim())
  .filter((line) => line !== '')
  .map((line) => line.split(' ').map((word) => ({ K: UNUSED, C: channels.appended })[word] ?? word));

/** Names in lower case, as Redis shows them in its errors. */
export const NEEDED_COMMANDS: ReadonlySet<string> = new Set(COMMANDS.map(([name]) => name!));

/** The calls whose rights are asked for. `config`: also the one that shows how Redis writes its file. */
export function neededCalls(options: { config: boolean; cluster: boolean }): string[][] {
  return [
    ...COMMANDS,
    ...KEYS.map((key) => ['get', key]),
    ...(options.config ? [['config', 'get', 'appendfsync']] : []),
    ...(options.cluster ? [['cluster', 'slots']] : []),
  ];
}
