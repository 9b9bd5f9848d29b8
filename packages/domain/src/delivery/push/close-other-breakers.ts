import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { type Bot, pushes } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { ClaimDeliveriesDeps } from './claim-deliveries.ts';

/** Breakers are closed in batches, because the turn that reached the backend waits before it settles its other results. */
const BOTS_AT_ONCE = 200;

/** Closes the breakers of all other bots with the backend URL of this one, which reached it. Returns those whose was open. */
export async function closeOtherBreakers(
  deps: ClaimDeliveriesDeps & { directory: BotDirectory },
  reachedBy: Bot,
): Promise<Bot[]> {
  if (!deps.directory.ready()) return [];
  const all: Bot[] = [];
  const same = deps.directory
    .all()
    .filter((bot) => bot.backend_url === reachedBy.backend_url && bot.id !== reachedBy.id && pushes(bot));
  for (let from = 0; from < same.length; from += BOTS_AT_ONCE) {
    const some = same.slice(from, from + BOTS_AT_ONCE);
    const wasOpen = await Promise.all(some.map((bot) => closeBreaker(deps, bot)));
    const woken = some.filter((_, at) => wasOpen[at]);
    await deps.turns.push.wakeAll(woken.map((bot) => bot.id));
    all.push(...woken);
  }
  return all;
}

/** Closes the bot's breaker; true when it was open. */
function closeBreaker({ redis }: ClaimDeliveriesDeps, bot: Bot): Promise<boolean> {
  return scripts.closeBreaker(redis.commands, botKeys(bot.id), {
    ...registrationOf(bot),
  });
}
