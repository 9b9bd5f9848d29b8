import type { ActivityResource } from '@flotilla/contract/activity.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Bars } from '../../parts/bars.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useWords } from '../../words/words.tsx';
import { HeatMap } from './heat-map.tsx';
import { PERIODS_OF_BOT, startOf } from './period.ts';
import { PeriodTabs } from './period-tabs.tsx';
import { Totals } from './totals.tsx';
import './statistics.css';

const route = getRouteApi('/bots/$id/statistics');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERY_MS = 60_000;

/** When the bot's updates come: by weekday and hour, and by day. */
export function BotStatistics(): ReactNode {
  const { statistics: words } = useWords();
  const { id } = route.useParams();
  const { days = PERIODS_OF_BOT[0] } = route.useSearch();
  const activity = useActivity(id, days);
  const points = activity.data ?? [];
  return (
    <div className="statistics">
      <PeriodTabs periods={PERIODS_OF_BOT} days={days} />
      {activity.isError && <Failure error={activity.error} retry={() => void activity.refetch()} />}
      {activity.data && (
        <div className="statistics-body" aria-busy={activity.isPlaceholderData}>
          <ActivityTotals points={points} takenMs={activity.dataUpdatedAt} />
          <section className="panel" aria-labelledby="by-hour">
            <h2 id="by-hour">{words.byHour}</h2>
            <HeatMap label={words.byHour} counts={byWeekdayAndHour(points)} />
          </section>
          <section className="panel" aria-labelledby="by-day">
            <h2 id="by-day">{words.byDay}</h2>
            <DayBars points={points} />
          </section>
        </div>
      )}
    </div>
  );
}

function useActivity(id: string, days: string) {
  return useQuery({
    queryKey: ['activity', id, days],
    queryFn: ({ signal }) => {
      const nowMs = Date.now();
      // The oldest hour of 90 days may be gone before the local day begins.
      const fromMs = Math.max(startOf(Number(days), nowMs).getTime(), nowMs - 90 * DAY_MS + HOUR_MS);
      return call('showActivity', { bot_id: id, step: 'hour', from: Math.floor(fromMs / 1_000) }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}

function ActivityTotals({ points, takenMs }: { points: readonly ActivityResource[]; takenMs: number }): ReactNode {
  const { fleet, statistics: words } = useWords();
  const sum = (of: (point: ActivityResource) => number) => points.reduce((total, point) => total + of(point), 0);
  const figures = [
    [fleet.in, sum((point) => point.in)],
    [fleet.delivered, sum((point) => point.delivered)],
    [words.retried, sum((point) => point.retried)],
    [fleet.dead, sum((point) => point.failed)],
    [words.calls, sum((point) => point.calls)],
  ] as const;
  return <Totals figures={figures} takenMs={takenMs} />;
}

function DayBars({ points }: { points: readonly ActivityResource[] }): ReactNode {
  const { language, statistics: words } = useWords();
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
  const days = new Map<string, number>();
  for (const point of points) {
    const name = format.format(new Date(point.at));
    days.set(name, (days.get(name) ?? 0) + point.in);
  }
  return <Bars label={words.byDay} most={words.most} bars={[...days].map(([name, value]) => ({ name, value }))} />;
}

function byWeekdayAndHour(points: readonly ActivityResource[]): number[][] {
  const counts = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const point of points) {
    const at = new Date(point.at);
    const day = counts[at.getDay()]!;
    day[at.getHours()] = (day[at.getHours()] ?? 0) + point.in;
  }
  return counts;
}
