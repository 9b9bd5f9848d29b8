import { type Caller, seesBot } from '@flotilla/domain/accounts/caller.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { chatStore } from '@flotilla/domain/chats/chat-store.ts';
import { type FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../../context.ts';
import { requireBot } from '../bots/require-bot.ts';

/**
 * The bot of a call that may leave `bot_id` out: then the one bot of the caller's that tracks the chat.
 * Throws 'not_found' for a bot that is not there, 'bad_request' where it is not one bot.
 */
export async function requireBotOfChat(
  context: Context,
  caller: Caller,
  input: { bot_id?: number | undefined; chat_id: number },
): Promise<Bot> {
  if (input.bot_id !== undefined) return requireBot(context, input.bot_id);
  const ids = await chatStore(context.db).botsOf(input.chat_id);
  const bots = ids.filter((id) => seesBot(caller, id)).map((id) => context.directory.byId(id));
  const [bot, another] = bots.filter((found) => found !== undefined);
  if (bot === undefined) throw untrackedChat();
  if (another !== undefined) throw refusedInput('bot_id', 'is required: several of your bots track this chat');
  return bot;
}

/** For a call that names no bot, and a chat that would have to tell which one is meant. */
export function untrackedChat(): FlotillaError {
  return refusedInput('bot_id', 'is required: none of your bots tracks this chat');
}
