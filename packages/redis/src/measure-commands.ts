import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { answersMetric } from '@flotilla/runtime/process-metrics.ts';
import type { RedisHandles } from './connect.ts';

type Sender = { sendCommand(command: { promise: Promise<unknown> }, ...rest: unknown[]): unknown };

const BUCKETS_S = [0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
/** To time each of tens of thousands of commands a second would cost more than it shows. */
const ONE_IN = 16;

/** Times one command in 16, from sending to its answer, on the connection that everything in the process shares. */
export function measureCommands(metrics: Metrics, redis: RedisHandles): void {
  const seconds = metrics.quickHistogram({
    name: 'flotilla_redis_command_seconds',
    help: 'Seconds from sending a Redis command to its reply, for one command in 16: ok or failed.',
    labelNames: ['outcome'],
    buckets: BUCKETS_S,
  });
  answersMetric(
    metrics,
    { name: 'flotilla_redis_up', help: '1 when Redis answered a PING within 2 s of the scrape.' },
    // A command fails after a second; a busy machine may need the other one, too.
    () => redis.commands.ping().catch(() => redis.commands.ping()),
  );
  const ok = seconds.of('ok');
  const failed = seconds.of('failed');
  const connection = redis.commands as unknown as Sender;
  const send = connection.sendCommand.bind(connection);
  let sent = 0;
  connection.sendCommand = (command, ...rest) => {
    sent += 1;
    if (sent % ONE_IN === 0) {
      const begunAtMs = performance.now();
      const ended = (series: typeof ok) => () => series.observe((performance.now() - begunAtMs) / 1000);
      command.promise.then(ended(ok), ended(failed));
    }
    return send(command, ...rest);
  };
}
