import { queryOptions } from '@tanstack/react-query';
import DataLoader from 'dataloader';
import { type Answer, call } from '../call.ts';

type Bot = Answer<'showBot'>;

/** The most that one call takes. */
const AT_ONCE = 100;

const bots = new DataLoader<string, Bot>(
  async (ids) => {
    const listed = ids.length === 1 ? [] : await call('listBots', { ids: ids.join(','), limit: AT_ONCE });
    const known = new Map(listed.map((bot) => [String(bot.id), bot]));
    // Of a bot that is not listed, its own call says why.
    return Promise.all(ids.map((id) => known.get(id) ?? call('showBot', { id }).catch((error: Error) => error)));
  },
  { cache: false, maxBatchSize: AT_ONCE, batchScheduleFn: (load) => setTimeout(load, 0) },
);

/** One bot. Bots that are asked for at the same moment, such as those of a list's rows, come in one call. */
export function botQuery(id: string) {
  return queryOptions({ queryKey: ['bot', id], queryFn: () => bots.load(id) });
}
