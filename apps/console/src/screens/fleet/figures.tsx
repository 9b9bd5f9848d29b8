import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Spark } from '../../parts/spark.tsx';
import { Stamp, useNumber } from '../../parts/time.tsx';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { ActivityFigures } from '../activity/activity-figures.tsx';
import { type Range, useActivity } from '../activity/use-activity.ts';

/** The fleet in figures, with the moment at which they were true. What happened is of the time that the chart shows. */
export function Figures({ fleet, range }: { fleet: FleetResource; range: Range }): ReactNode {
  const { fleet: words, chart } = useWords();
  const number = useNumber();
  const { account } = useSession();
  const seesActivity = account.role === 'admin';
  const { data: points } = useActivity(null, range, seesActivity);
  const { rates, pending, dead_letters: dead, taken_at } = fleet;
  const period = seesActivity ? range : rates && 'minute';
  const waited = useWaited(fleet, points);
  return (
    <section aria-label={words.figures} className="figures">
      {period !== undefined && (
        <div>
          <p className="muted over">{words.over[period]}</p>
          <dl>
            {points !== undefined && <ActivityFigures points={points} />}
            {!seesActivity && rates !== undefined && <Rates rates={rates} />}
          </dl>
        </div>
      )}
      <div className="now">
        <p className="muted over">{words.now}</p>
        <dl>
          <div>
            <dt>{chart.lines.waiting}</dt>
            <dd>
              {number(pending)}
              <Spark values={waited} />
            </dd>
          </div>
          {dead !== undefined && (
            <div>
              <dt>{words.dead}</dt>
              <dd className={dead > 0 ? 'alarming' : undefined}>
                <Link to="/deliveries">{number(dead)}</Link>
              </dd>
            </div>
          )}
        </dl>
      </div>
      <p className="muted taken">
        <Stamp at={taken_at} word={words.taken} />
      </p>
    </section>
  );
}

/** For those who cannot see the activity of the fleet: what their bots did in the last minute that is over. */
function Rates({ rates }: { rates: NonNullable<FleetResource['rates']> }): ReactNode {
  const { fleet: words, chart } = useWords();
  const number = useNumber();
  return (['in', 'delivered', 'retried', 'failed'] as const).map((key) => (
    <div key={key}>
      <dt>{chart.lines[key]}</dt>
      <dd className={key === 'failed' && rates.failed > 0 ? 'alarming' : undefined}>
        {words.perMinute(number(Math.round(rates[key] * 60)))}
      </dd>
    </div>
  ));
}

const MOST_SAMPLES = 60;

/** The backlog: from the activity, else from what this page has seen. */
function useWaited(
  { pending, taken_at }: FleetResource,
  points: readonly { waiting?: number | undefined }[] = [],
): readonly number[] {
  const [samples, setSamples] = useState([{ taken_at, pending }]);
  if (samples.at(-1)!.taken_at !== taken_at) setSamples([...samples, { taken_at, pending }].slice(-MOST_SAMPLES));
  const waited = points.flatMap(({ waiting }) => waiting ?? []);
  return waited.length > 1 ? waited : samples.map((sample) => sample.pending);
}
