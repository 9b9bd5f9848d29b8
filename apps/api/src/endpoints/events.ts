import type { eventOperations } from '@flotilla/contract/events.ts';
import { withoutUnseenBots } from '@flotilla/domain/delivery/routing-rules/shown-bots.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { type Scope, within } from '@flotilla/domain/people/accounts/scope.ts';
import { eventStore } from '@flotilla/domain/people/events/event-store.ts';
import { presentEvent } from '@flotilla/domain/watch/events/event-text.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { scopeIn } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';

export const eventHandlers: Handlers<typeof eventOperations> = {
  async listEvents(context, { input, caller }) {
    const { db } = context;
    const { limit, offset, id = null, bot_id, kinds = null } = input;
    const [beforeId = null] = decodeCursor(input.before, ['id']) ?? [];
    const ofAll = caller.role === 'admin' && caller.scope.bots === 'all';
    const scope = bot_id !== undefined || ofAll ? scopeIn(context, caller, bot_id) : ofKnownBots(context, caller);
    const query = { id, kinds, since: dateOf(input.since), until: dateOf(input.until) };
    const events = eventStore(db);
    const [rows, total] = await Promise.all([
      events.list(scope, query, { limit: limit + 1, offset, beforeId }),
      events.count(scope, query),
    ]);
    const shown = rows.map((event) => presentEvent({ ...event, text: withoutUnseenBots(caller, event.text) }));
    return cutPage(shown, limit, total, ({ id }) => [id]);
  },
};

/** Without events of no bot, and of bots that were deleted. */
function ofKnownBots({ directory }: Context, { scope }: Caller): Scope {
  const ids = directory.all().map(({ id }) => id);
  return within(scope, ids);
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
