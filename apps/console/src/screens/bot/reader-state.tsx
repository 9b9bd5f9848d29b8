import type { ReaderResource } from '@flotilla/contract/readers.ts';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';

/** The shape and colour of each state, as bots have them. */
const MARKS = {
  ok: 'ok',
  failing: 'failing',
  open: 'open',
  silent: 'open',
  paused: 'disabled',
  parked: 'open',
  off: 'disabled',
} as const satisfies Record<ReaderResource['state'], string>;

export function ReaderState({ state }: { state: ReaderResource['state'] }): ReactNode {
  const { readers: words } = useWords().bot;
  return (
    <span className={`state ${MARKS[state]}`}>
      <StateMark state={MARKS[state]} />
      {words.states[state]}
    </span>
  );
}

/** How many updates wait for a reader, and since when. */
export function Behind({ reader: { behind, oldest_at: oldestAt } }: { reader: ReaderResource }): ReactNode {
  const { readers: words } = useWords().bot;
  return (
    <>
      {behind === 0 ? words.upToDate : words.behind(behind)}
      {oldestAt && (
        <span className="muted">
          {', '}
          {words.oldest} <Ago at={oldestAt} />
        </span>
      )}
    </>
  );
}
