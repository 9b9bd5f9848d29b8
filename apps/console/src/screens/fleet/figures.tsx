import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Spark } from '../../parts/spark.tsx';
import { Ago, Clock, useNumber } from '../../parts/time.tsx';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { useActivity } from '../activity/use-activity.ts';

/** The fleet in figures, with the moment at which they were true. */
export function Figures({ fleet }: { fleet: FleetResource }): ReactNode {
  const { fleet: words } = useWords();
  const number = useNumber();
  const { rates, pending, dead_letters: dead, taken_at } = fleet;
  const past = usePast(fleet);
  const figures: [string, string, boolean?][] = [
    ...(rates === undefined ? [] : rateFigures(rates)),
    [words.pending, number(pending)],
    ...(dead === undefined ? [] : [[words.dead, number(dead), dead > 0] as [string, string, boolean]]),
  ];
  function rateFigures(known: NonNullable<FleetResource['rates']>): [string, string, boolean?][] {
    return [
      [words.in, words.perSecond(number(known.in))],
      [words.delivered, words.perSecond(number(known.delivered))],
      [words.failed, words.perSecond(number(known.failed)), known.failed > 0],
    ];
  }
  return (
    <section aria-label={words.figures} className="figures">
      <dl>
        {figures.map(([name, value, alarming]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={alarming ? 'alarming' : undefined}>
              {name === words.dead ? <Link to="/deliveries">{value}</Link> : value}
              <Spark values={past.get(name) ?? []} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted taken">
        {words.taken} <Clock at={taken_at} />, <Ago at={taken_at} />
      </p>
    </section>
  );
}

const MOST_SAMPLES = 60;

/** What the figures were in the last hour, by name. For those who cannot see the activity, what this page has seen wait. */
function usePast({ pending, taken_at: takenAt }: FleetResource): ReadonlyMap<string, readonly number[]> {
  const { fleet: words } = useWords();
  const { account } = useSession();
  const { data = [] } = useActivity(null, 'hour', account.role === 'admin');
  const [samples, setSamples] = useState([{ takenAt, pending }]);
  if (samples.at(-1)!.takenAt !== takenAt) setSamples([...samples, { takenAt, pending }].slice(-MOST_SAMPLES));
  // The last minute still runs.
  const minutes = data.slice(0, -1);
  const waited = data.flatMap(({ waiting }) => waiting ?? []);
  return new Map([
    [words.in, minutes.map((minute) => minute.in)],
    [words.delivered, minutes.map(({ delivered }) => delivered)],
    [words.failed, minutes.map(({ failed }) => failed)],
    [words.pending, waited.length > 1 ? waited : samples.map((sample) => sample.pending)],
  ]);
}
