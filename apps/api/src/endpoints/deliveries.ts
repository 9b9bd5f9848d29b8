import {
  type DeliveryResource,
  type deliveryOperations,
  type FailedDestination,
  type Refusal,
  reasonCode,
} from '@flotilla/contract/deliveries.ts';
import { type Caller, seesBot } from '@flotilla/domain/accounts/caller.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { countByBot, countRedrivable } from '@flotilla/domain/deliveries/count-redrivable.ts';
import {
  type DeadLetter,
  type DeadLetterQuery,
  deadLetterStore,
} from '@flotilla/domain/deliveries/dead-letter-store.ts';
import type { DeliveryFilter } from '@flotilla/domain/deliveries/delivery-filter.ts';
import { type DeliveryJob, deliveryJobStore } from '@flotilla/domain/deliveries/delivery-job-store.ts';
import { findKeptUpdate } from '@flotilla/domain/deliveries/find-kept-update.ts';
import { type ListedAttempt, listAttempts } from '@flotilla/domain/deliveries/list-attempts.ts';
import { listRetrying, type Retrying } from '@flotilla/domain/deliveries/list-retrying.ts';
import { presentReader } from '@flotilla/domain/deliveries/reader-name.ts';
import { runDeliveryJob } from '@flotilla/domain/deliveries/run-delivery-job.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { requireBot } from '../http/bot-of-call.ts';
import type { Call, Handlers } from '../http/handler.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { withoutNulls } from './without-nulls.ts';

export const deliveryHandlers: Handlers<typeof deliveryOperations> = {
  async listDeliveries(context, { input, caller }) {
    const { limit, state } = input;
    const filter = filterOf(input);
    // A cursor is the id of a dead letter. A negative one tells how many rows were shown, because deliveries that are
    // retried come first and have no stable order.
    const [cursor = 0] = decodeCursor(input.before, ['number']) ?? [];
    const before = cursor > 0 ? cursor : null;
    const offset = cursor < 0 ? -cursor : input.offset;
    const { bots, botIds } = seenBots(context, caller, input.bot_id);
    const letters = deadLetterStore(context.db);
    const query = { ...filter, botIds };
    const [waiting, buried] = await Promise.all([
      state === 'dead' ? { rows: [], total: 0 } : listRetrying(context, bots, filter),
      state === 'retrying' ? 0 : letters.count(query),
    ]);
    const retrying = before === null ? waiting.rows.slice(offset, offset + limit + 1) : [];
    const deadOffset = before === null ? Math.max(0, offset - waiting.rows.length) : input.offset;
    const room = limit + 1 - retrying.length;
    const dead =
      state === 'retrying' || room <= 0 ? [] : await letters.list(query, { limit: room, offset: deadOffset, before });
    const named = { directory: context.directory };
    const rows = [
      ...retrying.map((update) => presentRetrying(named, update)),
      ...dead.map((letter) => presentDeadLetter(named, letter)),
    ];
    return cutPage(rows, limit, waiting.total + buried, (row) => [row.id ?? -(offset + limit)]);
  },

  async listDeliveryAttempts(context, { input }) {
    return (await listAttempts(context, requireBot(context, input.bot_id), input.program_id ?? null)).map(
      presentAttempt,
    );
  },

  async showDeliveredUpdate(context, { input }) {
    return withoutNulls({
      payload: await findKeptUpdate(context, requireBot(context, input.bot_id), input.update_id),
    });
  },

  async redriveDeliveries(context, { input, caller, by }) {
    const query = await chosenLetters(context, caller, input);
    if (input.dry_run) return { ok: true, redriven: 0, ...(await countRedrivable(context, query)) };
    const job = await runDeliveryJob(context, by, { action: 'redrive', query }, ANSWER_WITHIN_MS);
    const progress = progressOf(job);
    const [refusal] = progress.refusals.filter(({ reader }) => reader !== 'history');
    if (input.filter === undefined && progress.done === 0 && refusal !== undefined) {
      throw new FlotillaError('bad_request', refusal.reason);
    }
    return { ok: true, redriven: job.done, ...progress };
  },

  async discardDeliveries(context, { input, caller, by }) {
    const query = await chosenLetters(context, caller, input);
    if (input.dry_run) {
      return { ok: true, ...(await countByBot(context, query)), done: 0, refused: 0, refusals: [] };
    }
    return {
      ok: true,
      ...progressOf(await runDeliveryJob(context, by, { action: 'discard', query }, ANSWER_WITHIN_MS)),
    };
  },

  async showDeliveryJob(context, { input, caller }) {
    const job = await deliveryJobStore(context.db).find(input.id);
    if (job === undefined || !seesJob(caller, job)) throw new FlotillaError('not_found', 'Job not found');
    return {
      ...progressOf(job),
      action: job.action,
      created_at: job.created_at.toISOString(),
      ...(job.finished_at === null ? {} : { finished_at: job.finished_at.toISOString() }),
    };
  },
};

/** Below the 30 s after which many clients and balancers give up. */
const ANSWER_WITHIN_MS = 10_000;

type ChoiceInput = Call<typeof deliveryOperations.redriveDeliveries.input>['input'];

/** Throws 'forbidden' if an id is that of a dead letter of a bot that the caller does not see. */
async function chosenLetters(context: Context, caller: Caller, input: ChoiceInput): Promise<DeadLetterQuery> {
  const { ids, filter = {} } = input;
  if (ids !== undefined && input.filter !== undefined) throw refusedInput('filter', 'cannot be given beside ids');
  const botId = input.bot_id ?? filter.bot_id;
  if (filter.bot_id !== undefined && filter.bot_id !== botId) {
    throw refusedInput('filter.bot_id', 'contradicts bot_id');
  }
  if (ids === undefined && input.filter === undefined && botId === undefined) {
    throw refusedInput('ids', 'is required, or a filter or a bot_id in its place');
  }
  const { botIds } = seenBots(context, caller, botId);
  if (ids !== undefined && botId === undefined) {
    const bots = await deadLetterStore(context.db).botsOf(ids);
    if (bots.some((id) => !seesBot(caller, id))) throw new FlotillaError('forbidden', 'This bot is not among yours');
  }
  return { ...filterOf(filter), botIds, ids };
}

function progressOf(job: DeliveryJob) {
  return {
    ...{ matched: job.matched, done: job.done, refused: job.refused },
    refusals: JSON.parse(job.refusals) as Refusal[],
    job_id: job.id,
    state: job.finished_at === null ? ('running' as const) : ('finished' as const),
  };
}

/** A key that is limited to some bots sees only the work on these. */
function seesJob(caller: Caller, job: DeliveryJob): boolean {
  const bots = job.bot_ids === null ? null : (JSON.parse(job.bot_ids) as number[]);
  if (caller.bots !== 'all' && !bots?.every((id) => seesBot(caller, id))) return false;
  return caller.role === 'admin' || caller.account.id === job.account_id;
}

type FilterInput = Pick<
  Call<typeof deliveryOperations.listDeliveries.input>['input'],
  'reader' | 'program_id' | 'reason_code' | 'status' | 'since' | 'until' | 'q'
>;

function filterOf({
  reader,
  program_id: programId,
  reason_code: reasonCode,
  status,
  since,
  until,
  q,
}: FilterInput): DeliveryFilter {
  return { reader, programId, reasonCode, status, sinceS: since, untilS: until, q };
}

/** The named bot, or all that the caller sees; `botIds` is null for every bot of the fleet. */
function seenBots(
  context: Context,
  caller: Caller,
  botId: number | undefined,
): { bots: Bot[]; botIds: number[] | null } {
  if (botId !== undefined) return { bots: [requireBot(context, botId)], botIds: [botId] };
  const bots = context.directory.all().filter(({ id }) => seesBot(caller, id));
  return { bots, botIds: caller.bots === 'all' ? null : bots.map(({ id }) => id) };
}

function presentAttempt({ revision: _own, programName, request, excerpt, ...attempt }: ListedAttempt) {
  return {
    ...attempt,
    ...withoutNulls({ program_name: programName }),
    ...(request === null ? {} : { request }),
    ...(excerpt === null ? {} : { response_content_type: excerpt.type, response_excerpt: excerpt.text }),
  };
}

type Named = Pick<Context, 'directory'>;

/** The reader with the name of its program, while there is that program. */
function namedReader({ directory }: Named, botId: number, name: string) {
  const reader = presentReader(name);
  const program = directory.byId(botId)?.programs.find(({ id }) => id === reader.program_id);
  return { ...reader, ...withoutNulls({ program_name: program?.name ?? null }) };
}

function presentRetrying(named: Named, update: Retrying): DeliveryResource {
  return {
    bot_id: update.botId,
    update_id: update.updateId,
    state: 'retrying',
    ...namedReader(named, update.botId, update.reader),
    attempts: update.attempts,
    ...(update.lastStatus === null ? {} : { last_status: update.lastStatus }),
    reason_code: update.reasonCode ?? 'unknown',
    last_error: update.lastError,
    first_failed_at: new Date(update.firstFailedAtMs).toISOString(),
    ...(update.lastFailedAtMs === undefined ? {} : { last_failed_at: new Date(update.lastFailedAtMs).toISOString() }),
    ...withoutNulls({ response_excerpt: update.excerpt ?? null }),
    next_attempt_at: new Date(update.nextTryAtMs).toISOString(),
    ...(update.expiresAtMs === undefined ? {} : { expires_at: new Date(update.expiresAtMs).toISOString() }),
  };
}

function presentDeadLetter(named: Named, letter: DeadLetter): DeliveryResource {
  return {
    id: letter.id,
    bot_id: letter.bot_id,
    update_id: letter.update_id,
    state: 'dead',
    ...namedReader(named, letter.bot_id, letter.reader),
    attempts: letter.attempts,
    ...(letter.last_status === null ? {} : { last_status: letter.last_status }),
    reason_code: reasonCode.catch('unknown').parse(letter.reason_code),
    last_error: letter.reason,
    ...(letter.first_failed_at === null ? {} : { first_failed_at: letter.first_failed_at.toISOString() }),
    ...(letter.last_failed_at === null ? {} : { last_failed_at: letter.last_failed_at.toISOString() }),
    dead_at: letter.created_at.toISOString(),
    ...withoutNulls({ response_excerpt: letter.response_excerpt }),
    ...(letter.destinations === null ? {} : { destinations: JSON.parse(letter.destinations) as FailedDestination[] }),
    payload: letter.payload,
  };
}
