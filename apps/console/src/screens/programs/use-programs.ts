import { useQuery } from '@tanstack/react-query';
import { call } from '../../call.ts';
import { REFRESH_MS } from '../../queries.ts';

/** The programs of a bot, 100 at most. */
export function usePrograms(botId: number, enabled = true) {
  return useQuery({
    queryKey: ['programs', botId],
    queryFn: ({ signal }) => call('listPrograms', { bot_id: botId }, signal),
    refetchInterval: REFRESH_MS,
    enabled,
  });
}

/** Who reads the bot's updates, and how far each one is. */
export function useReaders(botId: number | undefined) {
  return useQuery({
    queryKey: ['readers', botId],
    queryFn: ({ signal }) => call('listReaders', { bot_id: botId! }, signal),
    refetchInterval: REFRESH_MS,
    enabled: botId !== undefined,
  });
}
