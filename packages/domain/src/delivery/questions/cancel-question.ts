import type { Question } from '@flotilla/contract/questions.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import type { AskDeps } from './add-question.ts';
import { questionStore } from './question-store.ts';
import { showEnd } from './show-end.ts';
import { announceSettled } from './take-answer.ts';

/** Cancels a question that is open; one that was settled before stays as it is. Returns how it is now. */
export async function cancelQuestion(deps: AskDeps, bot: Bot, by: Actor, question: Question): Promise<Question> {
  const cancelled = await deps.db.transaction().execute(async (db) => {
    const settled = await questionStore(db).cancel(question.id);
    const { bot_id, chat_id, business_connection_id } = question;
    const audited = { action: 'question_cancel', bot_id, chat_id, business_connection_id } as const;
    if (settled !== null)
      await recordAction({ db, clock: deps.clock }, by, { ...audited, details: `question ${question.id}` });
    return settled;
  });
  if (cancelled === null) return (await questionStore(deps.db).find(question.id)) ?? question;
  await announceSettled(deps.redis, cancelled);
  // Upkeep does what cannot be done now.
  await showEnd(deps, bot, cancelled);
  return cancelled;
}
