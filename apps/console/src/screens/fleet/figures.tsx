import type { FleetResource } from '@flotilla/contract/fleet.ts';
import type { ReactNode } from 'react';
import { Ago, Clock, useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';

/** The fleet in figures, with the moment at which they were true. */
export function Figures({ fleet }: { fleet: FleetResource }): ReactNode {
  const { fleet: words } = useWords();
  const number = useNumber();
  const { rates, pending, dead_letters: dead, taken_at } = fleet;
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
            <dd className={alarming ? 'alarming' : undefined}>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="muted taken">
        {words.taken} <Clock at={taken_at} />, <Ago at={taken_at} />
      </p>
    </section>
  );
}
