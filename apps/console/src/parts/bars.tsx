import type { ReactNode } from 'react';
import { useNumber } from './time.tsx';

export type Bar = { name: string; value: number };

type BarsProps = {
  label: string;
  /** What is said of the largest number. */
  most: (shown: string) => string;
  bars: readonly Bar[];
};

/** A few numbers side by side as bars; each says its value on hover and to screen readers. */
export function Bars({ label, most, bars }: BarsProps): ReactNode {
  const number = useNumber();
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  const largestIsKnown = bars.some(({ value }) => value > 0);
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
        <span>{largestIsKnown && most(number(largest))}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}
