import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { followDirectory } from '@flotilla/domain/fleet/bots/follow-directory.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { turnQueue } from '@flotilla/redis/turn-queue.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { Pool } from 'undici';
import { type Append, measureDrain } from './drain.ts';
import { measureIdlePolls } from './idle-polls.ts';
import { percentile } from './percentile.ts';
import { ms, report } from './report.ts';

const WAKE_UPS = 1_000;
/** The first finds an api whose code V8 has not optimised yet, and each meets other syncs of the disk. */
const ROUNDS = 3;
const BATCH = 100;

/** Measures how soon an append elsewhere wakes a waiting poll, and how fast a backlog is drained. */
export async function benchPull(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 0 }, { LOG_LEVEL: 'warn' }, database);
  const log = createLogger({ name: 'bench', level: 'warn' });
  const redis = await connectRedis({ url: fleet.redis.url, log });
  const directory = await followDirectory({ redis, secrets: secretBox(FLEET_ENCRYPTION_KEY), log });
  const turns = {
    push: turnQueue(redis, 'push'),
    programs: turnQueue(redis, 'programs'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
  const append = async (botId: number, ids: number[]) => {
    if (directory.byId(botId) === undefined) await directory.refresh();
    const sliced = sliceUpdates(`{"ok":true,"result":[${ids.map(updateText).join(',')}]}`);
    await acceptUpdates({ redis, turns }, directory.byId(botId)!, sliced!.updates);
  };
  try {
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({ wakeUps: await measureWakeUps(fleet, append), stored: await measureStores(redis) });
    }
    const p99 = ({ wakeUps }: Round) => percentile(wakeUps, 99);
    const middle = rounds.toSorted((one, other) => p99(one) - p99(other))[Math.floor(ROUNDS / 2)]!;
    const drained = await measureDrain(fleet, redis, append);
    const idle = await measureIdlePolls(fleet, redis);
    report('Pull, one api process', [
      {
        what: `append → waiting poll answered, p50, the middle of ${ROUNDS} rounds`,
        figure: ms(percentile(middle.wakeUps, 50)),
      },
      {
        what: 'append → waiting poll answered, p99, the middle of these, and each',
        figure: `${ms(p99(middle))} (${rounds.map((round) => ms(p99(round))).join(', ')})`,
        target: '≤ 5 ms',
      },
      {
        what: 'of it: one XADD until it is on the disk, p50, and p99 in each round',
        figure: `${ms(percentile(middle.stored, 50))}; ${rounds.map(({ stored }) => ms(percentile(stored, 99))).join(', ')}`,
      },
      ...drained,
      ...idle,
    ]);
  } finally {
    directory.close();
    await turns.push.close();
    await turns.programs.close();
    await turns.rules.close();
    await turns.history.close();
    await redis.close();
    await fleet.stop();
  }
}

type Round = { wakeUps: number[]; stored: number[] };

async function measureWakeUps(fleet: Fleet, append: Append): Promise<number[]> {
  const bot = await fleet.addBot({ long_poll_enabled: true, manage_enabled: false });
  const poll = poller(fleet, bot.token);
  const took: number[] = [];
  for (let id = 1; id <= WAKE_UPS; id += 1) {
    const answered = poll.get(id, 30);
    // The poll must be waiting before the append, because its own travel time is not to be measured.
    await new Promise((resolve) => setTimeout(resolve, 3));
    const appendedAt = performance.now();
    await append(bot.id, [id]);
    await answered;
    took.push(performance.now() - appendedAt);
  }
  await poll.close();
  return took;
}

/** No append can be answered sooner: Redis answers, and publishes, when the append-only file is on the disk. */
async function measureStores({ commands }: Pick<RedisHandles, 'commands'>): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < WAKE_UPS; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 3));
    const begunAt = performance.now();
    await commands.xadd('bench:stored', '*', 'u', updateText(round));
    took.push(performance.now() - begunAt);
  }
  await commands.del('bench:stored');
  return took;
}

function poller(fleet: Fleet, token: string) {
  const pool = new Pool(`http://127.0.0.1:${fleet.apis[0]!.port}`, { connections: 1 });
  return {
    get: async (offset: number, timeoutS: number) => {
      const path = `/tgapi/bot${token}/getUpdates?offset=${offset}&limit=${BATCH}&timeout=${timeoutS}`;
      const { body } = await pool.request({ path, method: 'GET' });
      return body.text();
    },
    close: () => pool.close(),
  };
}

function updateText(id: number): string {
  const chat = '{"id":5,"type":"private","first_name":"Ann"}';
  const date = Math.floor(Date.now() / 1000);
  return `{"update_id":${id},\n"message":{"message_id":${id},"from":{"id":5,"is_bot":false,"first_name":"Ann"},"chat":${chat},"date":${date},"text":"number ${id}"}}`;
}
