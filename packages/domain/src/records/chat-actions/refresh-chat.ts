import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readChatFacts } from '@flotilla/telegram/message-facts.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { requireAbleToAct } from '../../fleet/bots/require-managed.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import { type Chat, chatStore } from '../chats/chat-store.ts';
import { historyChatStore } from '../history/history-chat-store.ts';
import { lockBots } from '../history/lock-bots.ts';
import type { ChatActionDeps } from './act-in-chat.ts';

/**
 * Asks the platform for a chat's present names and stores them. Throws 'bad_request' for a bot that is disabled or not
 * managed, or the platform's refusal.
 */
export async function refreshChat(deps: ChatActionDeps, bot: Bot, chat_id: number): Promise<Chat> {
  requireAbleToAct(bot);
  const answer = resultOf(await deps.platform.call(bot.token, 'getChat', { chat_id }));
  if (typeof answer !== 'object' || answer === null)
    throw new FlotillaError('platform_failed', 'The answer of the platform contains no chat');
  const facts = readChatFacts(answer as Fields);
  return deps.db.transaction().execute(async (transaction) => {
    if (!(await lockBots(transaction, [bot.id])).has(bot.id)) throw new FlotillaError('not_found', 'Bot not found');
    await historyChatStore(transaction).upsertChats([
      { ...facts, bot_id: bot.id, direct: null, added: 0, last_id: 0, newest: null },
    ]);
    const [chat] = await chatStore(transaction).allOf(bot.id, facts.id);
    if (chat === undefined) throw new FlotillaError('internal', 'Postgres returned no row of the chat');
    return chat;
  });
}
