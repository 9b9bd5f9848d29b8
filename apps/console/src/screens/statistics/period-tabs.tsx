import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../../words/words.tsx';
import { PERIODS, type Period } from './period.ts';

/** How many days are shown; the address holds it. */
export function PeriodTabs({ days }: { days: Period }): ReactNode {
  const { statistics: words } = useWords();
  return (
    <nav className="periods" aria-label={words.period}>
      {PERIODS.map((one) => (
        <Link
          key={one}
          to="."
          search={{ days: one }}
          replace
          className="button plain"
          activeProps={{ className: '' }}
          aria-current={one === days ? 'true' : undefined}
        >
          {words.days(Number(one))}
        </Link>
      ))}
    </nav>
  );
}
