import { useIsFetching } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { loadAhead } from '../../load-late.ts';
import { Failure } from '../../parts/failure.tsx';
import { Clock } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { RANGES, type Range, useActivity } from './use-activity.ts';
import './activity.css';

type ChartPart = typeof import('../../parts/chart.tsx').Chart;

const LINES = [
  ['in', '--accent'],
  ['delivered', '--good'],
  ['calls', '--muted'],
  ['retried', '--warn'],
  ['failed', '--bad'],
] as const;

const WAITING_PX = 110;

type ActivityProps = { botId: number | null; range: Range; choose: (range: Range) => void };

/** What a bot, or the whole fleet, did in the last hour, day or week. */
export function Activity({ botId, range, choose }: ActivityProps): ReactNode {
  const { chart: words } = useWords();
  const activity = useActivity(botId, range);
  const points = activity.data;
  const Chart = useChart(useAfterList(points !== undefined), activity.dataUpdatedAt);
  const at = useMemo(() => points?.map((point) => Date.parse(point.at) / 1_000) ?? [], [points]);
  const series = useMemo(
    () =>
      LINES.map(([key, color]) => ({ name: words.lines[key], color, values: points?.map((one) => one[key]) ?? [] })),
    [points, words],
  );
  const waiting = useMemo(
    () => [{ name: words.lines.waiting, color: '--warn', values: points?.map(({ waiting }) => waiting ?? null) ?? [] }],
    [points, words],
  );
  return (
    <section className="panel activity" aria-labelledby="activity">
      <header>
        <h2 id="activity">{words.title}</h2>
        <fieldset className="choices">
          <legend className="unseen">{words.range}</legend>
          {RANGES.map((one) => (
            <button key={one} type="button" aria-pressed={one === range} onClick={() => choose(one)}>
              {words.ranges[one]}
            </button>
          ))}
        </fieldset>
        {points && (
          <p className="muted taken">
            {words.taken} <Clock at={new Date(activity.dataUpdatedAt).toISOString()} />
          </p>
        )}
      </header>
      {activity.isError && <Failure error={activity.error} retry={() => void activity.refetch()} />}
      <div className="chart-place">{points && Chart && <Chart label={words.title} at={at} series={series} />}</div>
      {points?.some((point) => point.waiting !== undefined) && (
        <section className="lag" aria-labelledby="lag">
          <h3 id="lag">{words.waiting}</h3>
          <p className="muted">{words.waitingHint}</p>
          <div className="chart-place">
            {Chart && <Chart label={words.waiting} at={at} series={waiting} of="level" heightPx={WAITING_PX} />}
          </div>
        </section>
      )}
    </section>
  );
}

/** True once the list of bots has come: it is worth more than the chart, whose script would delay it on a slow line. */
function useAfterList(hasPoints: boolean): boolean {
  const waits = useIsFetching({ queryKey: ['bots'], predicate: ({ state }) => state.data === undefined }) > 0;
  const [drawn, setDrawn] = useState(false);
  if (hasPoints && !waits && !drawn) setDrawn(true);
  return drawn;
}

/** The chart once it is wanted and there; while no api answers it is asked for again with the data. */
function useChart(wanted: boolean, dataUpdatedAt: number): ChartPart | null {
  const [chart, setChart] = useState<{ Chart: ChartPart } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new data say that the api answers again
  useEffect(() => {
    if (!wanted || chart !== null) return;
    void loadAhead(async () => setChart(await import('../../parts/chart.tsx')));
  }, [wanted, chart, dataUpdatedAt]);
  return chart?.Chart ?? null;
}
