import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../../words/words.tsx';

/** How many days are shown; the address holds it. */
export function PeriodTabs({ periods, days }: { periods: readonly string[]; days: string }): ReactNode {
  const { statistics: words } = useWords();
  return (
    <nav className="choices" aria-label={words.period}>
      {periods.map((one) => (
        <Link
          key={one}
          to="."
          search={{ days: one }}
          replace
          activeProps={{ className: '' }}
          aria-current={one === days ? 'true' : undefined}
        >
          {words.days(Number(one))}
        </Link>
      ))}
    </nav>
  );
}
