import {
  type DeliveryResource,
  type deliveryOperations,
  type FailedDestination,
  reasonCode,
} from '@flotilla/contract/deliveries.ts';
import { aboutUpdate, textsOfRetrying } from '@flotilla/domain/delivery/deliveries/about-update.ts';
import { actOnRetrying } from '@flotilla/domain/delivery/deliveries/act-on-retrying.ts';
import { type DeadLetter, deadLetterStore } from '@flotilla/domain/delivery/deliveries/dead-letter-store.ts';
import type { DeliveryFilter } from '@flotilla/domain/delivery/deliveries/delivery-filter.ts';
import { findKeptUpdate } from '@flotilla/domain/delivery/deliveries/find-kept-update.ts';
import { listRetrying, type Retrying } from '@flotilla/domain/delivery/deliveries/list-retrying.ts';
import { presentReader } from '@flotilla/domain/delivery/deliveries/reader-name.ts';
import { withoutUnseenBots } from '@flotilla/domain/delivery/routing-rules/shown-bots.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { type Scope, sees, within } from '@flotilla/domain/people/accounts/scope.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor, foreignCursor } from '../http/page.ts';
import { requireBot, scopeIn } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

/** More deliveries that are retried are not listed. */
const MOST_SHOWN = 100_000;

export const deliveryHandlers: Handlers<typeof deliveryOperations> = {
  async listDeliveries(context, { input, caller }) {
    const { limit, state } = input;
    const filter = filterOf(input);
    // A cursor is the id of a dead letter. A negative one tells how many rows were shown, because deliveries that are
    // retried come first and have no stable order.
    const [cursor = 0] = decodeCursor(input.before, ['platformId']) ?? [];
    if (cursor < -MOST_SHOWN) throw foreignCursor();
    const before = cursor > 0 ? cursor : null;
    const offset = cursor < 0 ? -cursor : input.offset;
    const { bots, scope } = seenBots(context, caller, input.bot_id);
    const letters = deadLetterStore(context.db);
    const [waiting, givenUp] = await Promise.all([
      state === 'dead' ? { rows: [], total: 0 } : listRetrying(context, bots, filter),
      state === 'retrying' ? 0 : letters.count(scope, filter),
    ]);
    const retrying = before === null ? waiting.rows.slice(offset, offset + limit + 1) : [];
    const deadOffset = before === null ? Math.max(0, offset - waiting.rows.length) : input.offset;
    const room = limit + 1 - retrying.length;
    const dead =
      state === 'retrying' || room <= 0
        ? []
        : await letters.list(scope, filter, { limit: room, offset: deadOffset, before });
    const named = { directory: context.directory, caller };
    const texts = await textsOfRetrying(context, retrying);
    const rows = [
      ...retrying.map((update, at) => presentRetrying(named, update, texts[at] ?? null)),
      ...dead.map((letter) => presentDeadLetter(named, letter)),
    ];
    return cutPage(rows, limit, waiting.total + givenUp, (row) => [row.id ?? -(offset + limit)]);
  },

  async tryDeliveriesNow(context, { input, by }) {
    return act(context, by, 'try', input);
  },

  async skipDeliveries(context, { input, by }) {
    return act(context, by, 'skip', input);
  },

  async showDeliveredUpdate(context, { input }) {
    return withoutNulls({
      payload: await findKeptUpdate(context, requireBot(context, input.bot_id), input.update_id),
    });
  },
};

type ActInput = Call<typeof deliveryOperations.skipDeliveries.input>['input'];

async function act(context: Context, by: Actor, name: 'try' | 'skip', input: ActInput) {
  if ((input.reader === 'program') !== (input.program_id !== undefined)) {
    throw refusedInput('program_id', 'must be given with the reader program, and only then');
  }
  const done = await actOnRetrying(context, by, requireBot(context, input.bot_id), name, input);
  return { ok: true as const, done, refused: new Set(input.update_ids).size - done };
}

type FilterInput = Pick<
  Call<typeof deliveryOperations.listDeliveries.input>['input'],
  'reader' | 'program_id' | 'reason_code' | 'status' | 'since' | 'until' | 'q'
>;

export function filterOf({
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

/** The named bot, or all that the caller sees; without those that were deleted. */
export function seenBots(context: Context, caller: Caller, botId: number | undefined): { bots: Bot[]; scope: Scope } {
  const scope = scopeIn(context, caller, botId);
  const bots = context.directory.all().filter(({ id }) => sees(scope, id));
  return {
    bots,
    scope:
      scope.bots === 'all'
        ? scope
        : within(
            scope,
            bots.map(({ id }) => id),
          ),
  };
}

type Named = Pick<Context, 'directory'> & { caller: Caller };

/** The reader with the name of its program, while there is that program. */
function namedReader({ directory }: Named, botId: number, name: string) {
  const reader = presentReader(name);
  const program = directory.byId(botId)?.programs.find(({ id }) => id === reader.program_id);
  return { ...reader, ...withoutNulls({ program_name: program?.name ?? null }) };
}

/** That of rules names the destinations that failed. */
function shownError({ caller }: Named, reader: string, error: string): string {
  return reader === 'rules' ? withoutUnseenBots(caller, error) : error;
}

function shownDestinations({ caller }: Named, kept: string): FailedDestination[] {
  return (JSON.parse(kept) as FailedDestination[]).map(({ name, ...failed }) => ({
    name: withoutUnseenBots(caller, name),
    ...failed,
  }));
}

/** By which people recognise the update. */
function presentAbout(raw: string | null) {
  const about = raw === null ? null : aboutUpdate(raw);
  return about === null ? {} : withoutNulls(about);
}

function presentRetrying(named: Named, update: Retrying, raw: string | null): DeliveryResource {
  return {
    bot_id: update.botId,
    update_id: update.updateId,
    state: 'retrying',
    ...namedReader(named, update.botId, update.reader),
    ...presentAbout(raw),
    attempts: update.attempts,
    ...(update.lastStatus === null ? {} : { last_status: update.lastStatus }),
    reason_code: update.reasonCode,
    last_error: shownError(named, update.reader, update.lastError),
    first_failed_at: new Date(update.firstFailedAtMs).toISOString(),
    last_failed_at: new Date(update.lastFailedAtMs).toISOString(),
    ...withoutNulls({ response_excerpt: update.excerpt ?? null }),
    next_attempt_at: new Date(update.nextTryAtMs).toISOString(),
    expires_at: new Date(update.expiresAtMs).toISOString(),
  };
}

function presentDeadLetter(named: Named, letter: DeadLetter): DeliveryResource {
  return {
    id: letter.id,
    bot_id: letter.bot_id,
    update_id: letter.update_id,
    state: 'dead',
    ...namedReader(named, letter.bot_id, letter.reader),
    ...presentAbout(letter.payload),
    attempts: letter.attempts,
    ...(letter.last_status === null ? {} : { last_status: letter.last_status }),
    reason_code: reasonCode.catch('unknown').parse(letter.reason_code),
    last_error: shownError(named, letter.reader, letter.reason),
    ...(letter.first_failed_at === null ? {} : { first_failed_at: letter.first_failed_at.toISOString() }),
    ...(letter.last_failed_at === null ? {} : { last_failed_at: letter.last_failed_at.toISOString() }),
    dead_at: letter.created_at.toISOString(),
    ...withoutNulls({ response_excerpt: letter.response_excerpt }),
    ...(letter.destinations === null ? {} : { destinations: shownDestinations(named, letter.destinations) }),
    payload: letter.payload,
  };
}
