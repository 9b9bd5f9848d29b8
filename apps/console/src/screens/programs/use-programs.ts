import { useQuery } from '@tanstack/react-query';
import { call } from '../../call.ts';
import { REFRESH_MS } from '../../queries.ts';

/** The programs of a bot, 100 at most. */
export function usePrograms(bot_id: number, enabled = true) {
  return useQuery({
    queryKey: ['programs', bot_id],
    queryFn: ({ signal }) => call('listPrograms', { bot_id }, signal),
    refetchInterval: REFRESH_MS,
    enabled,
  });
}

/** Who reads the bot's updates, and how far each one is. */
export function useReaders(bot_id: number | undefined) {
  return useQuery({
    queryKey: ['readers', bot_id],
    queryFn: ({ signal }) => call('listReaders', { bot_id: bot_id! }, signal),
    refetchInterval: REFRESH_MS,
    enabled: bot_id !== undefined,
  });
}
