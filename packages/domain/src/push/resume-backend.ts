import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import { type Bot, pushes } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import type { PushDeps } from './push-step.ts';

/** Resumes the pushes of every other bot with the same backend URL, once one of them has got through to it. */
export async function resumeBackend(deps: PushDeps & { directory: BotDirectory }, through: Bot): Promise<void> {
  if (!deps.directory.ready()) return;
  const same = deps.directory.all().filter((bot) => bot.backendUrl === through.backendUrl && bot.id !== through.id);
  for (const bot of same) {
    if (!pushes(bot)) continue;
    const { state, lanes } = botKeys(bot.id);
    const resumed: unknown = await runScript(
      deps.redis.commands,
      'resume-backend',
      [state, lanes],
      [bot.generation, deps.clock.nowMs()],
    );
    if (resumed === 1) await deps.turns.push.wake(bot.id);
  }
}
