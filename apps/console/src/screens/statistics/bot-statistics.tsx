import type { ActivityResource } from '@flotilla/contract/activity.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { call } from '../../call.ts';
import { Failure } from '../../parts/failure.tsx';
import { LateChart } from '../../parts/late-chart.tsx';
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
  const { chart, statistics: words } = useWords();
  const sum = (of: (point: ActivityResource) => number) => points.reduce((total, point) => total + of(point), 0);
  const figures = [
    [chart.lines.in, sum((point) => point.in)],
    [chart.lines.delivered, sum((point) => point.delivered)],
    [chart.lines.retried, sum((point) => point.retried)],
    [chart.lines.failed, sum((point) => point.failed)],
    [words.calls, sum((point) => point.calls)],
  ] as const;
  return <Totals figures={figures} takenMs={takenMs} />;
}

function DayBars({ points }: { points: readonly ActivityResource[] }): ReactNode {
  const { chart, statistics: words } = useWords();
  const { at, series } = useMemo(() => {
    const days = new Map<number, number>();
    for (const point of points) {
      const day = new Date(point.at).setHours(0, 0, 0, 0) / 1_000;
      days.set(day, (days.get(day) ?? 0) + point.in);
    }
    const values = [...days.values()];
    return { at: [...days.keys()], series: [{ name: chart.lines.in, color: '--accent', values }] };
  }, [points, chart]);
  return <LateChart label={words.byDay} at={at} series={series} unit={words.unitUpdates} draw="bars" isRunning />;
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
