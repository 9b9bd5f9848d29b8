import type { QuestionResource, questionOperations } from '@flotilla/contract/questions.ts';
import { addQuestion } from '@flotilla/domain/delivery/questions/add-question.ts';
import { cancelQuestion } from '@flotilla/domain/delivery/questions/cancel-question.ts';
import type { Question } from '@flotilla/domain/delivery/questions/question.ts';
import { questionStore } from '@flotilla/domain/delivery/questions/question-store.ts';
import { waitForQuestion } from '@flotilla/domain/delivery/questions/wait-for-question.ts';
import { connectionParam } from '@flotilla/domain/records/chats/conversation.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { untilGone } from '../http/until-gone.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { renewHoldOf } from './renew-hold-of.ts';
import { withoutNulls } from './without-nulls.ts';

export const questionHandlers: Handlers<typeof questionOperations> = {
  async addQuestion(context, { input, by }) {
    const bot = requireBot(context, input.bot_id);
    const question = await addQuestion(context, bot, by, {
      chatId: input.chat_id,
      businessConnectionId: input.business_connection_id,
      threadId: input.thread_id ?? null,
      text: input.text,
      options: input.options,
      allowedUserIds: input.allowed_user_ids ?? null,
      expiresInS: input.expires_in_s,
    });
    await renewHoldOf(context, bot, by, question);
    return presentQuestion(question);
  },

  async listQuestions(context, { input, caller }) {
    const {
      bot_id: botId,
      chat_id: chatId,
      business_connection_id: businessConnectionId,
      state,
      limit,
      offset,
    } = input;
    if (botId !== undefined) requireBot(context, botId);
    const [beforeId = null] = decodeCursor(input.before, ['id']) ?? [];
    const store = questionStore(context.db);
    const query = { botId, chatId, businessConnectionId, state };
    const [rows, total] = await Promise.all([
      store.list(caller.scope, query, { limit: limit + 1, offset, beforeId }),
      store.count(caller.scope, query),
    ]);
    return cutPage(rows.map(presentQuestion), limit, total, ({ id }) => [id]);
  },

  showQuestion: {
    findBots: findBotOfQuestion,
    async handle(context, { input }) {
      return presentQuestion(await requireQuestion(context, input.id));
    },
  },

  waitForQuestion: {
    findBots: findBotOfQuestion,
    async handle(context, { input, response, whileAllowed }) {
      const known = await requireQuestion(context, input.id);
      const question = await whileAllowed((ended) =>
        untilGone([context.stopping, ended], response, (signal) =>
          waitForQuestion(context, known, input.timeout * 1000, signal),
        ),
      );
      if (question === null) throw notFound();
      return presentQuestion(question);
    },
  },

  cancelQuestion: {
    findBots: findBotOfQuestion,
    async handle(context, { input, by }) {
      const question = await requireQuestion(context, input.id);
      return presentQuestion(await cancelQuestion(context, requireBot(context, question.botId), by, question));
    },
  },
};

async function findBotOfQuestion({ db }: Context, id: number): Promise<number[]> {
  const question = await questionStore(db).find(id);
  return question === null ? [] : [question.botId];
}

async function requireQuestion({ db }: Context, id: number): Promise<Question> {
  const question = await questionStore(db).find(id);
  if (question === null) throw notFound();
  return question;
}

function notFound(): FlotillaError {
  return new FlotillaError('not_found', 'Question not found');
}

function presentQuestion(question: Question): QuestionResource {
  const { chosen, answeredBy, settledAt } = question;
  return {
    id: question.id,
    bot_id: question.botId,
    chat_id: question.chatId,
    ...connectionParam(question.businessConnectionId),
    ...withoutNulls({ thread_id: question.threadId, message_id: question.messageId }),
    text: question.text,
    options: question.options,
    ...withoutNulls({ allowed_user_ids: question.allowedUserIds }),
    state: question.state,
    ...(chosen === null || answeredBy === null || settledAt === null
      ? {}
      : {
          option: question.options[chosen] ?? '',
          answered_by: answeredBy.id,
          answered_by_name: answeredBy.name,
          answered_at: settledAt.toISOString(),
        }),
    expires_at: question.expiresAt.toISOString(),
    created_at: question.createdAt.toISOString(),
  };
}
