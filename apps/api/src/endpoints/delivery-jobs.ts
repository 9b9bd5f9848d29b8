import {
  type DeliveryJob,
  deliveryJob,
  type deliveryJobOperations,
  type Refusal,
  refusalCode,
} from '@flotilla/contract/delivery-jobs.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { countByBot, countRedrivable } from '@flotilla/domain/delivery/deliveries/count-redrivable.ts';
import { deliveryJobStore, scopeOfJob } from '@flotilla/domain/delivery/deliveries/delivery-job-store.ts';
import { outcomeOfRedrive } from '@flotilla/domain/delivery/deliveries/outcome-of-redrive.ts';
import { runDeliveryJob } from '@flotilla/domain/delivery/deliveries/run-delivery-job.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { choiceOf } from '../operations/choice-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { seenBots } from './deliveries.ts';

export const deliveryJobHandlers: Handlers<typeof deliveryJobOperations> = {
  async redriveDeliveries(context, { input, caller, by }) {
    const { scope, query } = chosenLetters(context, caller, input);
    if (input.dry_run) return { ok: true, redriven: 0, ...(await countRedrivable(context, scope, query)) };
    const job = await runDeliveryJob(context, by, { action: 'redrive', scope, query }, ANSWER_WITHIN_MS);
    const progress = progressOf(job);
    const [refusal] = progress.refusals.filter(({ reader }) => reader !== 'history');
    if (input.filter === undefined && progress.done === 0 && refusal !== undefined) {
      throw new FlotillaError('bad_request', refusal.reason);
    }
    return { ok: true, redriven: job.done, ...progress };
  },

  async discardDeliveries(context, { input, caller, by }) {
    const { scope, query } = chosenLetters(context, caller, input);
    if (input.dry_run) {
      return { ok: true, ...(await countByBot(context, scope, query)), done: 0, refused: 0, refusals: [] };
    }
    return {
      ok: true,
      ...progressOf(await runDeliveryJob(context, by, { action: 'discard', scope, query }, ANSWER_WITHIN_MS)),
    };
  },

  async showDeliveryJob(context, { input, caller }) {
    const job = await deliveryJobStore(context.db).find(input.id);
    if (job === undefined || !seesJob(caller, job)) throw new FlotillaError('not_found', 'Job not found');
    const outcome = await outcomeOfRedrive(context, job);
    return answerOf(deliveryJob, { ...job, ...progressOf(job), outcome: outcome ?? undefined });
  },
};

/** Below the 30 s after which many clients and balancers give up. */
const ANSWER_WITHIN_MS = 10_000;

type ChoiceInput = Call<typeof deliveryJobOperations.redriveDeliveries.input>['input'];

/** The letters of the caller's bots; ids of others are ignored, like those of letters that are gone. */
function chosenLetters(context: Context, caller: Caller, input: ChoiceInput) {
  const { filter: chosen, bot_id } = choiceOf<NonNullable<ChoiceInput['filter']>>(input);
  const { scope } = seenBots(context, caller, bot_id);
  const { bot_id: _bot, state: _state, ...filter } = chosen;
  return { scope, query: { ...filter, ids: input.ids, upto_id: input.upto_id } };
}

function progressOf(job: DeliveryJob) {
  return {
    ...{ matched: job.matched, done: job.done, refused: job.refused },
    refusals: refusalsOf(job),
    job_id: job.id,
    state: job.finished_at === null ? ('running' as const) : ('finished' as const),
  };
}

/** A later release may refuse with a code that this one does not know. */
function refusalsOf(job: DeliveryJob): Refusal[] {
  return (JSON.parse(job.refusals) as Refusal[]).map((refusal) => ({
    ...refusal,
    code: refusalCode.catch('unknown').parse(refusal.code),
  }));
}

/** A key that is limited to some bots sees only the work on these. */
function seesJob(caller: Caller, job: DeliveryJob): boolean {
  const { bots } = scopeOfJob(job);
  const isSeen = bots === 'all' ? caller.scope.bots === 'all' : [...bots].every((id) => seesBot(caller, id));
  if (!isSeen) return false;
  return caller.role === 'admin' || caller.account.id === job.account_id;
}
