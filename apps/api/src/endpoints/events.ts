import type { eventOperations } from '@flotilla/contract/events.ts';
import { seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { eventStore } from '@flotilla/domain/people/events/event-store.ts';
import { presentEvent } from '@flotilla/domain/watch/events/event-text.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';

export const eventHandlers: Handlers<typeof eventOperations> = {
  async listEvents(context, { input, caller }) {
    const { db, directory } = context;
    const { limit, offset, id = null, bot_id: botId, kinds = null } = input;
    const [beforeId = null] = decodeCursor(input.before, ['id']) ?? [];
    const seesAll = caller.role === 'admin' && caller.scope.bots === 'all';
    const seen = () => directory.all().flatMap(({ id }) => (seesBot(caller, id) ? [id] : []));
    const botIds = botId !== undefined ? [requireBot(context, botId).id] : seesAll ? null : seen();
    const query = { id, botIds, kinds, since: dateOf(input.since), until: dateOf(input.until) };
    const events = eventStore(db);
    const [rows, total] = await Promise.all([
      events.list(query, { limit: limit + 1, offset, beforeId }),
      events.count(query),
    ]);
    return cutPage(rows.map(presentEvent), limit, total, ({ id }) => [id]);
  },
};

function dateOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
