import type { Question } from '@flotilla/contract/questions.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { QuestionPress } from '../filters/question-press.ts';
import { questionStore } from './question-store.ts';
import { type ShowDeps, showEnd } from './show-end.ts';

export type AnswerDeps = ShowDeps & { redis: RedisHandles };

/**
 * Takes the press of a button: the first one of somebody who may answer settles the question. The person is told at once, then
 * the message shows the end. May be repeated. 'retry': the message does not show it yet. Rejects when Postgres is away.
 */
export async function takeAnswer(deps: AnswerDeps, bot: Bot, press: QuestionPress): Promise<'taken' | 'retry'> {
  const asked = await questionStore(deps.db).find(press.questionId);
  const isOurs =
    asked !== null && asked.bot_id === bot.id && asked.nonce === press.nonce && press.option < asked.options.length;
  if (!isOurs) {
    await tell(deps, bot, press, 'This question is not known any more.');
    return 'taken';
  }
  if (asked.state === 'open' && asked.allowed_user_ids !== null && !asked.allowed_user_ids.includes(press.user.id)) {
    await tell(deps, bot, press, 'This question is for somebody else.');
    return 'taken';
  }
  const question = asked.state === 'open' ? await settle(deps, asked, press) : asked;
  await tell(deps, bot, press, endFor(question, press));
  if (question.state === 'open') return 'taken';
  return (await showEnd(deps, bot, question)) === 'retry' ? 'retry' : 'taken';
}

/** Settles an open question by a press, and tells those who wait. */
async function settle({ db, redis }: AnswerDeps, { id }: Question, press: QuestionPress): Promise<Question> {
  const store = questionStore(db);
  const settled = (await store.expire(id)) ?? (await store.answer(id, press.option, press.user));
  if (settled !== null) await announceSettled(redis, settled);
  return settled ?? ((await store.find(id)) as Question);
}

/** Wakes who waits for a question of the bot. Whoever misses it reads again within seconds. */
export async function announceSettled(redis: RedisHandles, { bot_id }: Question): Promise<void> {
  await redis.commands.publish(channels.questions, String(bot_id)).catch(() => undefined);
}

/** The answer to the person who pressed. */
function endFor({ state, options, chosen, answered_by, answered_by_name }: Question, { user }: QuestionPress): string {
  switch (state) {
    case 'answered': {
      const option = options[chosen ?? 0] ?? '';
      return answered_by === user.id ? option : `${answered_by_name} answered: ${option}`;
    }
    case 'expired':
      return 'This question has expired.';
    case 'cancelled':
      return 'This question was cancelled.';
    case 'open':
      return 'Try again.';
  }
}

const LONGEST_ANSWER = 200;

/** Ends the wait of the button. The platform refuses this for a press that is older than some seconds. */
async function tell({ platform }: AnswerDeps, bot: Bot, { queryId }: QuestionPress, text: string): Promise<void> {
  await platform.call(bot.token, 'answerCallbackQuery', {
    callback_query_id: queryId,
    text: text.slice(0, LONGEST_ANSWER),
  });
}
