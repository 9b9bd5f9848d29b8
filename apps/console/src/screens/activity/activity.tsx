import { type ReactNode, useMemo } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { LateChart } from '../../parts/late-chart.tsx';
import { Stamp } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { RANGES, type Range, useActivity } from './use-activity.ts';
import { useIncidentMarks } from './use-incident-marks.ts';
import './activity.css';

/** Bars on each other, and the line of what came in. */
const LINES = [
  ['delivered', '--good', false],
  ['retried', '--warn', false],
  ['failed', '--bad', false],
  ['in', '--accent', true],
] as const;

const WAITING_PX = 150;

type ActivityProps = { botId: number | null; range: Range; choose: (range: Range) => void };

/** The activity of a bot, or of the whole fleet, in the last hour, day or week. The tiles above it are sums of the same points. */
export function Activity({ botId, range, choose }: ActivityProps): ReactNode {
  const { chart: words } = useWords();
  const activity = useActivity(botId, range);
  const marks = useIncidentMarks(botId);
  const together = `activity ${botId}`;
  const points = activity.data;
  const at = useMemo(() => points?.map((point) => Date.parse(point.at) / 1_000) ?? [], [points]);
  const series = useMemo(
    () =>
      LINES.map(([key, color, isLine]) => {
        return { name: words.lines[key], color, isLine, values: points?.map((one) => one[key]) ?? [] };
      }),
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
            <Stamp at={new Date(activity.dataUpdatedAt).toISOString()} word={words.taken} />
          </p>
        )}
      </header>
      {activity.isError && <Failure error={activity.error} retry={() => void activity.refetch()} />}
      <LateChart
        {...{ at, series, marks, together }}
        label={words.title}
        unit={words.units[range]}
        draw="stacked"
        isRunning
      />
      {points?.some((point) => point.waiting !== undefined) && (
        <section className="lag" aria-labelledby="lag">
          <h3 id="lag">{words.waiting}</h3>
          <p className="muted">{words.waitingHint}</p>
          <LateChart
            {...{ at, marks, together }}
            label={words.waiting}
            series={waiting}
            unit={words.updates}
            of="level"
            heightPx={WAITING_PX}
          />
        </section>
      )}
    </section>
  );
}
