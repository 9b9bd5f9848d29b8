import type { ActivityResource } from '@flotilla/contract/activity.ts';
import type { ReactNode } from 'react';
import { Spark } from '../../parts/spark.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';

/** The counts that have a tile; what is alarming if there is any. */
const COUNTS = [
  ['in', false],
  ['delivered', false],
  ['retried', false],
  ['failed', true],
] as const;

/** Tiles of what happened in the time that the chart shows: each is the sum of its line. */
export function ActivityFigures({ points }: { points: readonly ActivityResource[] }): ReactNode {
  const { chart: words } = useWords();
  const number = useNumber();
  return COUNTS.map(([key, isAlarming]) => {
    const values = points.map((point) => point[key]);
    const sum = values.reduce((all, value) => all + value, 0);
    return (
      <div key={key}>
        <dt>{words.lines[key]}</dt>
        <dd className={isAlarming && sum > 0 ? 'alarming' : undefined}>
          {number(sum)}
          {/* The last step still runs. */}
          <Spark values={values.slice(0, -1)} />
        </dd>
      </div>
    );
  });
}
