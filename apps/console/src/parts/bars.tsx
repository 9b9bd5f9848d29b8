import type { ReactNode } from 'react';
import { useNumber } from './time.tsx';

export type Bar = { name: string; value: number };

/** A few numbers side by side as a table that looks like bars; each says its value on hover and to screen readers. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }): ReactNode {
  const number = useNumber();
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  const [first, last] = [bars[0]?.name, bars.at(-1)?.name];
  return (
    <figure className="bars" aria-label={label}>
      <ol>
        {bars.map(({ name, value }) => (
          <li key={name} title={`${name}: ${number(value)}`}>
            <span className="unseen">
              {name}: {number(value)}
            </span>
            <span className="bar-fill" style={{ blockSize: `${(value / largest) * 100}%` }} />
          </li>
        ))}
      </ol>
      <figcaption className="muted" aria-hidden="true">
        <span>{first}</span>
        <span>{number(largest)}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}
