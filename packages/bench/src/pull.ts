import { followDirectory } from '@flotilla/domain/bots/follow-directory.ts';
import { acceptUpdates } from '@flotilla/domain/update-log/accept-updates.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { Pool } from 'undici';
import { percentile } from './percentile.ts';
import { ms, perSecond, report } from './report.ts';

const WAKE_UPS = 1_000;
const BACKLOG = 50_000;
const BATCH = 100;

/** A waiting poll that is woken by an append elsewhere, and a backlog that is drained. */
export async function benchPull(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 0 }, { LOG_LEVEL: 'warn' }, database);
  const log = createLogger({ name: 'bench', level: 'warn' });
  const redis = await connectRedis({ url: fleet.redis.url, log });
  const directory = await followDirectory({ redis, secrets: secretBox(FLEET_ENCRYPTION_KEY), log });
  const turns = {
    push: turnQueue(redis, 'push'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
  const append = async (botId: number, ids: number[]) => {
    await directory.refresh();
    const sliced = sliceUpdates(`{"ok":true,"result":[${ids.map(updateText).join(',')}]}`);
    await acceptUpdates({ redis, turns, clock: systemClock }, directory.byId(botId)!, sliced!.updates);
  };
  try {
    const wakeUps = await measureWakeUps(fleet, append);
    const drained = await measureDrain(fleet, append);
    report('Pull, one api process', [
      { what: 'append → waiting poll answered, p50', figure: ms(percentile(wakeUps, 50)) },
      { what: 'append → waiting poll answered, p99', figure: ms(percentile(wakeUps, 99)), target: '≤ 10 ms' },
      { what: 'backlog drained, limit 100', figure: perSecond(drained), target: '≥ 50,000/s' },
    ]);
  } finally {
    directory.close();
    await turns.push.close();
    await turns.rules.close();
    await turns.history.close();
    await redis.close();
    await fleet.stop();
  }
}

type Append = (botId: number, ids: number[]) => Promise<void>;

async function measureWakeUps(fleet: Fleet, append: Append): Promise<number[]> {
  const bot = await fleet.addBot({ long_poll_enabled: true, manage_enabled: false });
  const poll = poller(fleet, bot.token);
  const took: number[] = [];
  for (let id = 1; id <= WAKE_UPS; id += 1) {
    const answered = poll.get(id, 30);
    // The poll must be waiting by then; its own way there is not what is measured.
    await new Promise((resolve) => setTimeout(resolve, 3));
    const appendedAt = performance.now();
    await append(bot.id, [id]);
    await answered;
    took.push(performance.now() - appendedAt);
  }
  await poll.close();
  return took;
}

async function measureDrain(fleet: Fleet, append: Append): Promise<number> {
  const bot = await fleet.addBot({ long_poll_enabled: true, manage_enabled: false });
  for (let from = 1; from <= BACKLOG; from += BATCH) {
    await append(
      bot.id,
      Array.from({ length: BATCH }, (_, at) => from + at),
    );
  }
  const poll = poller(fleet, bot.token);
  const begunAt = performance.now();
  for (let offset = 1; offset <= BACKLOG; offset += BATCH) await poll.get(offset, 0);
  const tookMs = performance.now() - begunAt;
  await poll.close();
  return (BACKLOG * 1000) / tookMs;
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
