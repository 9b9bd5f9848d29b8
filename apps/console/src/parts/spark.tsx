import type { ReactNode } from 'react';

const [WIDTH, HEIGHT] = [64, 18];

/** A small line beside a figure, which says the same in words. Its place is kept until there are values. */
export function Spark({ values }: { values: readonly number[] }): ReactNode {
  const most = Math.max(1, ...values);
  const points = values.map((value, at) => {
    const x = (at / Math.max(1, values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`;
  });
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {values.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}
