import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { learnUsername } from '@flotilla/domain/fleet/bots/learn-username.ts';
import { botKeys, HOUR_MS } from '@flotilla/redis/keys.ts';
import type { WorkerContext } from '../context.ts';

const ASK_EVERY_MS = 24 * HOUR_MS;
const ASKED_AT_ONCE = 20;
/** A process asks for so many each minute: a fleet of 10,000 is through within an hour. */
const ASKED_AT_MOST = 240;

/** Asks the platform once a day, over all workers, which username each bot has now. */
export async function watchUsernames(deps: WorkerContext, signal: AbortSignal): Promise<void> {
  const enabled = deps.directory.all().filter(({ disabled }) => !disabled);
  const known = await deps.redis.runMany(enabled.map(({ id }) => ['exists', botKeys(id).usernameCheck]));
  const due = enabled.filter((_, at) => known[at] === 0).slice(0, ASKED_AT_MOST);
  for (let from = 0; from < due.length && !signal.aborted; from += ASKED_AT_ONCE) {
    const some = due.slice(from, from + ASKED_AT_ONCE);
    const claims = await deps.redis.runMany(
      some.map(({ id }) => ['set', botKeys(id).usernameCheck, '1', 'PX', ASK_EVERY_MS, 'NX']),
    );
    await Promise.all(some.filter((_, at) => claims[at] === 'OK').map((bot) => ask(deps, bot)));
  }
}

/** A platform that refuses the token or does not answer is noted by whoever takes the bot's updates in. */
async function ask(deps: WorkerContext, bot: Bot): Promise<void> {
  const answer = await deps.platform.call(bot.token, 'getMe');
  if (answer.outcome === 'ok') await learnUsername(deps, bot, answer.result);
}
