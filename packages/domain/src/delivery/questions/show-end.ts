import type { Question } from '@flotilla/contract/questions.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { connectionParam } from '../../records/chats/conversation.ts';
import type { CallBuffer } from '../../records/history/stream/call-buffer.ts';
import { settledText } from './question.ts';
import { questionStore } from './question-store.ts';

export type ShowDeps = {
  db: Database;
  platform: PlatformClient;
  calls: Pick<CallBuffer, 'keep'>;
  log: Logger;
  tracing: Tracing | null;
};

/**
 * Edits the message of a settled question, so that it says how the question ended and has no buttons. 'retry': the platform did
 * not answer, or asked to wait. A message that cannot be edited counts as shown. Rejects when Postgres is away.
 */
export async function showEnd(deps: ShowDeps, bot: Bot, question: Question): Promise<'shown' | 'retry'> {
  if (question.message_id !== null) {
    const answer = await editTraced(deps, bot, question, question.message_id);
    if (answer.outcome === 'ok') {
      const result = JSON.stringify(answer.result);
      deps.calls.keep(bot, { method: 'editmessagetext', params: { chat_id: String(question.chat_id) }, result });
    } else if (fateOf(answer) !== 'refused' && !isUnauthorized(answer)) return 'retry';
  }
  await questionStore(deps.db).noteShown(question.id);
  return 'shown';
}

/** The trace and the log of the request that asked go on here. */
async function editTraced(
  { platform, log, tracing }: ShowDeps,
  bot: Bot,
  question: Question,
  message_id: number,
): Promise<PlatformAnswer> {
  const { id, chat_id, state, request_id: requestId, traceparent: parent } = question;
  const ofRequest = requestId === null ? {} : { 'flotilla.request_id': requestId };
  const attributes = { 'flotilla.bot_id': bot.id, 'flotilla.question_id': id, 'flotilla.outcome': state, ...ofRequest };
  // One that no traced request asked gets no span.
  const span = parent === null ? null : tracing?.start('show answer', { kind: 'client', parent, attributes });
  const conversation = { chat_id, ...connectionParam(question.business_connection_id) };
  const params = { ...conversation, message_id, text: settledText(question) };
  const answer = await platform.call(bot.token, 'editMessageText', params);
  span?.end(answer.outcome === 'ok' ? 'ok' : 'failed');
  log.debug(
    { bot: bot.id, question: id, state, outcome: answer.outcome, requestId },
    'the end of a question was shown',
  );
  return answer;
}

/** Upkeep would try for as long as nobody replaces the token, and leave the questions of others waiting. */
function isUnauthorized(answer: PlatformAnswer): boolean {
  return answer.outcome === 'refused' && answer.errorCode === 401;
}
