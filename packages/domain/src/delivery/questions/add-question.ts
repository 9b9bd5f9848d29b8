import { randomBytes } from 'node:crypto';
import type { Question } from '@flotilla/contract/questions.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import type { ChangeRulesDeps } from '../../fleet/bots/change-rules.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { requireAbleToAct } from '../../fleet/bots/require-managed.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { findConversation } from '../../records/chats/conversation.ts';
import type { PutDeps } from '../../records/messages/put-message.ts';
import { sendMessage } from '../../records/messages/send-message.ts';
import { buttonData } from '../filters/question-press.ts';
import { type QuestionToAsk, questionStore } from './question-store.ts';
import { type ShowDeps, showEnd } from './show-end.ts';

export type AskDeps = ChangeRulesDeps & PutDeps & Pick<ShowDeps, 'log' | 'tracing'>;

const NONCE_BYTES = 16;

/**
 * Asks a question in a chat: a message with a button for each option. Throws as sendMessage does; nothing is kept then, and a
 * message that the platform took all the same has buttons that nobody knows.
 */
export async function addQuestion(
  deps: AskDeps,
  bot: Bot,
  by: Actor,
  wanted: Omit<QuestionToAsk, 'bot_id' | 'nonce' | 'business_connection_id' | 'request_id' | 'traceparent'> & {
    business_connection_id?: string | undefined;
  },
): Promise<Question> {
  requireAbleToAct(bot);
  const chat = { bot_id: bot.id, chat_id: wanted.chat_id };
  const business_connection_id = await findConversation(deps.db, chat, wanted.business_connection_id);
  // Every process must know that presses are to be kept from the other readers before there is a button to press.
  if (!bot.asks) {
    // Whoever noted it before may still be publishing it, or have ended.
    await botStore(deps.db).beginAsking(bot.id);
    await republishBots(deps, [bot.id]);
  }
  const store = questionStore(deps.db);
  const question = await store.insert({
    ...wanted,
    bot_id: bot.id,
    business_connection_id,
    nonce: randomBytes(NONCE_BYTES).toString('base64url'),
    request_id: by.request?.id ?? null,
    traceparent: by.request?.traceparent ?? null,
  });
  let asked: Question;
  try {
    const { id: message_id } = await sendMessage(deps, bot, by, {
      chat_id: question.chat_id,
      business_connection_id,
      thread_id: question.thread_id ?? undefined,
      content: { text: question.text },
      reply_markup: {
        inline_keyboard: question.options.map((text, at) => [{ text, callback_data: buttonData(question, at) }]),
      },
    });
    asked = (await store.setMessage(question.id, message_id)) ?? { ...question, message_id };
  } catch (error) {
    await store.remove(question.id).catch(() => undefined);
    throw error;
  }
  // Somebody was quicker than the platform's answer to the message. Upkeep does what cannot be done now.
  if (asked.state !== 'open') await showEnd(deps, bot, asked).catch(() => undefined);
  return asked;
}
