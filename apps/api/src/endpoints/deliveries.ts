import {
  type DeadLetter,
  type DeliveryResource,
  type deliveryOperations,
  deliveryResource,
  type FailedDestination,
  reasonCode,
} from '@flotilla/contract/deliveries.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { type AboutUpdate, aboutUpdate, textsOfRetrying } from '@flotilla/domain/delivery/deliveries/about-update.ts';
import { actOnRetrying } from '@flotilla/domain/delivery/deliveries/act-on-retrying.ts';
import { deadLetterStore } from '@flotilla/domain/delivery/deliveries/dead-letter-store.ts';
import { findKeptUpdate } from '@flotilla/domain/delivery/deliveries/find-kept-update.ts';
import { listRetrying, type Retrying } from '@flotilla/domain/delivery/deliveries/list-retrying.ts';
import { parseReader } from '@flotilla/domain/delivery/deliveries/reader-name.ts';
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
    const { limit, offset: skipped, before: cursorText, state, bot_id, ...filter } = input;
    // A cursor is the id of a dead letter. A negative one tells how many rows were shown, because deliveries that are
    // retried come first and have no stable order.
    const [cursor = 0] = decodeCursor(cursorText, ['platformId']) ?? [];
    if (cursor < -MOST_SHOWN) throw foreignCursor();
    const before = cursor > 0 ? cursor : null;
    const offset = cursor < 0 ? -cursor : skipped;
    const { bots, scope } = seenBots(context, caller, bot_id);
    const letters = deadLetterStore(context.db);
    const [waiting, givenUp] = await Promise.all([
      state === 'dead' ? { rows: [], total: 0 } : listRetrying(context, bots, filter),
      state === 'retrying' ? 0 : letters.count(scope, filter),
    ]);
    const retrying = before === null ? waiting.rows.slice(offset, offset + limit + 1) : [];
    const deadOffset = before === null ? Math.max(0, offset - waiting.rows.length) : skipped;
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
  const { reader, program_id } = parseReader(name);
  const program = directory.byId(botId)?.programs.find(({ id }) => id === program_id);
  return { reader, program_id, program_name: program?.name };
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
function presentAbout(raw: string | null): AboutUpdate {
  return (raw === null ? null : aboutUpdate(raw)) ?? { chat_id: null, kind: null, person_name: null, excerpt: null };
}

function presentRetrying(named: Named, update: Retrying, raw: string | null): DeliveryResource {
  return answerOf(deliveryResource, {
    ...{ bot_id: update.botId, update_id: update.updateId, state: 'retrying' },
    ...namedReader(named, update.botId, update.reader),
    ...presentAbout(raw),
    ...{ attempts: update.attempts, last_status: update.lastStatus, reason_code: update.reasonCode },
    last_error: shownError(named, update.reader, update.lastError),
    ...{ first_failed_at: new Date(update.firstFailedAtMs), last_failed_at: new Date(update.lastFailedAtMs) },
    ...{ next_attempt_at: new Date(update.nextTryAtMs), expires_at: new Date(update.expiresAtMs) },
    response_excerpt: update.excerpt,
    ...{ id: null, dead_at: null, destinations: null, payload: null },
  });
}

function presentDeadLetter(named: Named, letter: DeadLetter): DeliveryResource {
  return answerOf(deliveryResource, {
    ...letter,
    state: 'dead',
    ...namedReader(named, letter.bot_id, letter.reader),
    ...presentAbout(letter.payload),
    reason_code: reasonCode.catch('unknown').parse(letter.reason_code),
    last_error: shownError(named, letter.reader, letter.reason),
    ...{ next_attempt_at: null, expires_at: null, dead_at: letter.created_at },
    destinations: letter.destinations === null ? null : shownDestinations(named, letter.destinations),
  });
}
