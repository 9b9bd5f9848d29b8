import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { NOW, patchBotState } from '../../fleet/bots/patch-bot-state.ts';

type Deps = { redis: RedisHandles; clock: Clock; log: Logger };

/** Remembers and logs that the platform now refuses a bot. */
export async function noteRefusal(deps: Deps, bot: Bot, reason: string): Promise<void> {
  await patchBotState(deps, bot, { refusedAt: NOW });
  await announceState(deps, bot);
  deps.log.warn({ bot: bot.id, reason }, 'the platform refuses a bot: it is asked again soon, then once a minute');
}

/** Clears the refusal and logs that the platform accepts the bot again. */
export async function clearRefusal(deps: Deps, bot: Bot, refusedSinceMs: number): Promise<void> {
  await patchBotState(deps, bot, { refusedAt: 0 });
  await announceState(deps, bot);
  const forSeconds = Math.round((deps.clock.nowMs() - refusedSinceMs) / 1000);
  deps.log.info({ bot: bot.id, forSeconds }, 'the platform accepts a bot again');
}

async function announceState({ redis }: Deps, bot: Bot): Promise<void> {
  await redis.commands.publish(channels.botState, String(bot.id));
}
