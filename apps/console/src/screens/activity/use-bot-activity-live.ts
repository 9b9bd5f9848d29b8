import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { atOnceAndAfter } from '../../live/at-once-and-after.ts';
import { useLive } from '../../live.ts';

const SETTLE_MS = 1_000;

/** Asks for the figures of a bot anew after each of its updates and attempts, but not for every one of many. */
export function useBotActivityLive(botId: number | undefined): void {
  const queries = useQueryClient();
  const askAgain = useMemo(
    () =>
      atOnceAndAfter(SETTLE_MS, () => {
        void queries.invalidateQueries({ queryKey: ['activity', botId] });
        void queries.invalidateQueries({ queryKey: ['bot', String(botId)] });
      }),
    [queries, botId],
  );
  const topics = botId === undefined ? [] : [`bot:${botId}`, `attempts:${botId}`];
  useLive(topics, ({ name }) => (name === 'update' || name === 'attempt') && askAgain());
}
