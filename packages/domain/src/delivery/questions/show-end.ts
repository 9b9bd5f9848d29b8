import type { Question } from '@flotilla/contract/questions.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { connectionParam } from '../../records/chats/conversation.ts';
import type { CallBuffer } from '../../records/history/stream/call-buffer.ts';
import { settledText } from './question.ts';
import { questionStore } from './question-store.ts';

export type ShowDeps = { db: Database; platform: PlatformClient; calls: Pick<CallBuffer, 'keep'> };

/**
 * Edits the message of a settled question, so that it says how the question ended and has no buttons. 'retry': the platform did
 * not answer, or asked to wait. A message that cannot be edited counts as shown. Rejects when Postgres is away.
 */
export async function showEnd(
  { db, platform, calls }: ShowDeps,
  bot: Bot,
  question: Question,
): Promise<'shown' | 'retry'> {
  if (question.message_id !== null) {
    const conversation = { chat_id: question.chat_id, ...connectionParam(question.business_connection_id) };
    const params = { ...conversation, message_id: question.message_id, text: settledText(question) };
    const answer = await platform.call(bot.token, 'editMessageText', params);
    if (answer.outcome === 'ok') {
      const result = JSON.stringify(answer.result);
      calls.keep(bot, { method: 'editmessagetext', params: { chat_id: String(question.chat_id) }, result });
    } else if (fateOf(answer) !== 'refused' && !isUnauthorized(answer)) return 'retry';
  }
  await questionStore(db).noteShown(question.id);
  return 'shown';
}

/** Upkeep would try for as long as nobody replaces the token, and leave the questions of others waiting. */
function isUnauthorized(answer: PlatformAnswer): boolean {
  return answer.outcome === 'refused' && answer.errorCode === 401;
}
