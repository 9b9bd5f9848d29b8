import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import { type Bot, pushes } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import type { PushDeps } from './claim-for-push.ts';

/** Bots are resumed in batches, because the turn that reached the backend waits before it settles its other results. */
const BOTS_AT_ONCE = 200;

/** Resumes push for all other bots with the same backend URL after one reached it. Returns those that had stopped. */
export async function resumeBackend(deps: PushDeps & { directory: BotDirectory }, through: Bot): Promise<Bot[]> {
  if (!deps.directory.ready()) return [];
  const all: Bot[] = [];
  const same = deps.directory
    .all()
    .filter((bot) => bot.backendUrl === through.backendUrl && bot.id !== through.id && pushes(bot));
  for (let from = 0; from < same.length; from += BOTS_AT_ONCE) {
    const some = same.slice(from, from + BOTS_AT_ONCE);
    const resumed = await Promise.all(some.map((bot) => resume(deps, bot)));
    const woken = some.filter((_, at) => resumed[at]);
    await deps.turns.push.wakeAll(woken.map((bot) => bot.id));
    all.push(...woken);
  }
  return all;
}

/** Closes the bot's breaker; true when it was open. */
async function resume({ redis, clock }: PushDeps, bot: Bot): Promise<boolean> {
  const { state, lanes } = botKeys(bot.id);
  const args = [bot.registrationId, clock.nowMs(), bot.id];
  const resumed: unknown = await runScript(redis.commands, 'resume-backend', [state, lanes], args);
  return resumed === 1;
}
