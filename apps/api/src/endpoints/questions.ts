import {
  type Question,
  type QuestionResource,
  type questionOperations,
  questionResource,
} from '@flotilla/contract/questions.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { addQuestion } from '@flotilla/domain/delivery/questions/add-question.ts';
import { cancelQuestion } from '@flotilla/domain/delivery/questions/cancel-question.ts';
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

export const questionHandlers: Handlers<typeof questionOperations> = {
  async addQuestion(context, { input, by }) {
    const bot = requireBot(context, input.bot_id);
    const { thread_id = null, allowed_user_ids = null, ...wanted } = input;
    const question = await addQuestion(context, bot, by, { ...wanted, thread_id, allowed_user_ids });
    await renewHoldOf(context, bot, by, question);
    return presentQuestion(question);
  },

  async listQuestions(context, { input, caller }) {
    const { limit, offset, before, ...query } = input;
    if (query.bot_id !== undefined) requireBot(context, query.bot_id);
    const [beforeId = null] = decodeCursor(before, ['id']) ?? [];
    const store = questionStore(context.db);
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
      return presentQuestion(await cancelQuestion(context, requireBot(context, question.bot_id), by, question));
    },
  },
};

async function findBotOfQuestion({ db }: Context, id: number): Promise<number[]> {
  const question = await questionStore(db).find(id);
  return question === null ? [] : [question.bot_id];
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
  const { chosen, options, answered_by_name, settled_at } = question;
  return answerOf(questionResource, {
    ...question,
    ...{ business_connection_id: undefined, ...connectionParam(question.business_connection_id) },
    ...(chosen === null
      ? { option: null, answered_by_name: null, answered_at: null }
      : { option: options[chosen] ?? '', answered_by_name, answered_at: settled_at }),
  });
}
