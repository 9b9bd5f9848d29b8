import { z } from 'zod';
import type { Actor } from '../../people/audit/actor.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { changeBot } from './change-bot.ts';

const ME = z.object({ id: z.int(), username: z.string().min(1) });
const BOT_ITSELF: Actor = { kind: 'bot', address: null };

/**
 * Stores the username that the result of a getMe has, if the bot has a new one: commands name it (`/start@name`). Rejects when the
 * stores are away.
 */
export async function learnUsername(deps: BotDeps, bot: Bot, me: unknown): Promise<void> {
  const known = ME.safeParse(me);
  if (!known.success || known.data.id !== bot.telegram_id || known.data.username === bot.username) return;
  await changeBot(deps, BOT_ITSELF, bot.id, { username: known.data.username }, { reason: 'the platform says so' });
}
