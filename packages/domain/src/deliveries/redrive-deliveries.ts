import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import type { Bot } from '../bots/bot.ts';
import { type DeadLetter, deadLetterStore } from './dead-letter-store.ts';

type RedriveDeps = { db: Database; redis: RedisHandles; turns: { push: TurnQueue }; clock: Clock };

const BATCH = 200;
/** A redriven update lives as long again as the longest-lived kind. */
const LIFE_MS = 86_400_000;

/**
 * Sends dead letters of push again, all or those named, in the order of their updates and behind what waits in their
 * lanes; what fails again becomes a dead letter again. Returns how many. Throws FlotillaError('bad_request') when the
 * bot has no backend. A crash half-way sends some twice, never loses one.
 */
export async function redriveDeliveries(deps: RedriveDeps, bot: Bot, ids?: number[]): Promise<number> {
  const store = deadLetterStore(deps.db);
  let redriven = 0;
  let after = { updateId: -1, id: 0 };
  while (true) {
    const letters = await store.nextToPush(bot.id, after, BATCH, ids);
    const last = letters.at(-1);
    if (!last) return redriven;
    await putBack(deps, bot, letters);
    await store.remove(letters.map((letter) => letter.id));
    redriven += letters.length;
    after = { updateId: last.update_id, id: last.id };
  }
}

async function putBack(deps: RedriveDeps, bot: Bot, letters: DeadLetter[]): Promise<void> {
  const keys = botKeys(bot.id);
  const nowMs = deps.clock.nowMs();
  const [status] = await runScript(
    deps.redis.commands,
    'redrive',
    [keys.state, keys.lanes, keys.redriven, keys.dirty],
    [
      bot.generation,
      nowMs,
      bot.id,
      keys.lane(''),
      nowMs + LIFE_MS,
      ...letters.flatMap((letter) => {
        const { kind, lane } = readUpdateFacts(sliceUpdate(letter.payload)?.value ?? {}, nowMs);
        return [letter.id, letter.update_id, kind, lane, letter.payload];
      }),
    ],
  );
  if (status === 'OFF') throw new FlotillaError('bad_request', 'The bot has no backend to send to');
  if (status !== 'OK') throw new FlotillaError('not_found', 'Bot not found');
  await deps.turns.push.wake(bot.id);
}
