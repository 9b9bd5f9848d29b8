import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { callPage } from '../../call.ts';
import type { Mark } from '../../parts/chart-drawing.ts';
import { REFRESH_MS } from '../../queries.ts';
import { useWords } from '../../words/words.tsx';
import { MOST_ENTRIES } from '../fleet/incidents.ts';

/** When what is wrong now began, with a bot or in the whole fleet, where that is known. */
export function useIncidentMarks(bot_id: number | null): readonly Mark[] {
  const { marks: words } = useWords();
  const of = bot_id === null ? {} : { bot_id };
  const { data } = useQuery({
    queryKey: bot_id === null ? ['bots', 'attention'] : ['bots', 'attention', bot_id],
    queryFn: ({ signal }) => callPage('listAttention', { ...of, limit: MOST_ENTRIES }, signal),
    refetchInterval: REFRESH_MS,
  });
  return useMemo(
    () =>
      (data?.rows ?? []).flatMap(({ kind, since }) => {
        if (since === undefined || kind === 'clock_apart') return [];
        return [{ at: Date.parse(since) / 1_000, name: words[kind] }];
      }),
    [data, words],
  );
}
