import type { ReactNode } from 'react';
import { useLiveQueries } from '../live/use-live-queries.ts';
import { useWords } from '../words/words.tsx';

const SHAPES = { live: '●', connecting: '◐', polling: '○' } as const;

/** Says if the page shows at once what happens. */
export function LiveBadge(): ReactNode {
  const { live: words } = useWords();
  const state = useLiveQueries();
  return (
    <span className={`live-badge ${state}`} title={words.stateHints[state]}>
      <span aria-hidden="true">{SHAPES[state]}</span>
      <span className="live-word">{words.states[state]}</span>
    </span>
  );
}
