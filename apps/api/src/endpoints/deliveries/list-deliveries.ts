import { listDeliveries } from '@flotilla/contract/operations/deliveries.ts';
import { deadLetterStore } from '@flotilla/domain/deliveries/dead-letter-store.ts';
import { listRetrying } from '@flotilla/domain/deliveries/list-retrying.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor } from '../../http/page.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentDeadLetter, presentRetrying } from './present-delivery.ts';

export const listDeliveriesEndpoint = defineListEndpoint(listDeliveries, async (context, { input }) => {
  const { limit, offset, state } = input;
  const bot = requireBot(context, input.bot_id);
  const before = decodeCursor(input.before, ['number'])?.[0] ?? null;
  const store = deadLetterStore(context.db);
  const [waiting, buried] = await Promise.all([
    state === 'dead' ? [] : listRetrying(context, bot),
    state === 'retrying' ? 0 : store.count(bot.id),
  ]);
  // A cursor names a dead letter: what is tried again comes before all of them and has no stable place.
  const retrying = before === null ? waiting.slice(offset, offset + limit + 1) : [];
  const deadOffset = before === null ? Math.max(0, offset - waiting.length) : 0;
  const room = limit + 1 - retrying.length;
  const dead =
    state === 'retrying' || room <= 0 ? [] : await store.list(bot.id, { limit: room, offset: deadOffset, before });
  const rows = [...retrying.map((update) => presentRetrying(bot.id, update)), ...dead.map(presentDeadLetter)];
  const page = cutPage(rows, limit, waiting.length + buried, (row) => [row.id ?? 0]);
  return { ...page, next: page.next?.[0] === 0 ? null : page.next };
});
