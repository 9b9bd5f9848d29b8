import type { BotResource } from '@flotilla/contract/bots.ts';
import type { PastUpdateResource } from '@flotilla/contract/updates.ts';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../call.ts';

const REFRESH_MS = 2_000;

/**
 * The newest update that the stream brought while the page was open. answeredMs: how long after it the bot wrote in the
 * same chat; null if that may have answered the update before.
 */
export type SeenUpdate = { id: number; chatId: number | undefined; atMs: number; answeredMs?: number | null };

/** By the attempt at a backend: how long after the update it was over. Of a program that polls nobody notes that. */
export type Took = { afterMs?: number };
/** took: null while the program has not taken it. */
type Newest = { update: PastUpdateResource; took: Took | null };

/** The newest update of the bot, asked for until its message is in the history and a program has taken it. */
export function useNewestUpdate(bot: BotResource, seen: SeenUpdate | undefined): UseQueryResult<Newest | null> {
  return useQuery({
    queryKey: ['newest-update', bot.id, seen?.id],
    queryFn: ({ signal }) => readNewest(bot.id, signal),
    placeholderData: (before) => before,
    refetchInterval: ({ state: { data } }) => {
      const isStored = !bot.manage_enabled || data?.update.kind !== 'message' || data.update.message !== undefined;
      return data?.took && isStored ? false : REFRESH_MS;
    },
    enabled: bot.last_update_at !== undefined,
  });
}

async function readNewest(bot_id: number, signal: AbortSignal): Promise<Newest | null> {
  const [update] = await call('listUpdates', { bot_id, limit: 1 }, signal);
  if (update === undefined) return null;
  const { readers } = await call('showUpdate', { bot_id, update_id: update.update_id }, signal);
  const reader = readers.find(({ reader: name, outcome }) => outcome === 'delivered' && name !== 'rules');
  if (reader === undefined) return { update, took: null };
  const last = reader.attempts.findLast(({ ok }) => ok);
  if (last === undefined) return { update, took: {} };
  const afterMs = Date.parse(last.at) + last.duration_ms - Date.parse(update.at);
  return { update, took: { afterMs: Math.max(0, afterMs) } };
}

/** After an update of the bot came. */
export function seeUpdate(id: number, chatId: number | undefined, before: SeenUpdate | undefined): SeenUpdate {
  const isUnclear = before !== undefined && before.chatId === chatId && before.answeredMs === undefined;
  return { id, chatId, atMs: performance.now(), ...(isUnclear && { answeredMs: null }) };
}

/** After the bot wrote in a chat. */
export function seeCall(chatId: number | undefined, seen: SeenUpdate | undefined): SeenUpdate | undefined {
  if (seen === undefined || chatId === undefined || seen.chatId !== chatId || seen.answeredMs !== undefined)
    return seen;
  return { ...seen, answeredMs: Math.round(performance.now() - seen.atMs) };
}
