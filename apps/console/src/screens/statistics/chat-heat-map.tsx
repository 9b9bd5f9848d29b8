import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Failure } from '../../parts/failure.tsx';
import { useWords } from '../../words/words.tsx';
import { HeatMap } from './heat-map.tsx';

const WEEKS = 12;
/** Nothing changes fast in twelve weeks, and the api counts every message of them. */
const EVERY_MS = 600_000;

/** On which weekdays and in which hours a chat is busy, by the clock of the browser. */
export function ChatHeatMap({ bot_id, chat_id }: { bot_id: number; chat_id: number }): ReactNode {
  const { statistics: words } = useWords();
  const title = words.messagesByHour(WEEKS);
  const stats = useQuery({
    queryKey: ['stats-by-weekday', bot_id, chat_id],
    queryFn: ({ signal }) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      return call('showChatStats', { bot_id, chat_id, weeks: WEEKS, time_zone: timeZone }, signal);
    },
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="panel" aria-labelledby="by-weekday">
      <h2 id="by-weekday">{title}</h2>
      {stats.isError && <Failure error={stats.error} retry={() => void stats.refetch()} />}
      {stats.data?.by_weekday && (
        <HeatMap label={title} counts={stats.data.by_weekday.map(({ message_counts }) => message_counts)} />
      )}
    </section>
  );
}
