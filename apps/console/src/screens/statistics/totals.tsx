import type { ReactNode } from 'react';
import { Stamp, useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';

type TotalsProps = { figures: readonly (readonly [name: string, value: number])[]; takenMs: number };

/** Figures in a row, with when they were taken. */
export function Totals({ figures, takenMs }: TotalsProps): ReactNode {
  const { fleet, statistics: words } = useWords();
  const number = useNumber();
  const taken = new Date(takenMs).toISOString();
  return (
    <section className="figures" aria-label={words.totals}>
      <dl>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
      <p className="muted taken">
        <Stamp at={taken} word={fleet.taken} />
      </p>
    </section>
  );
}
