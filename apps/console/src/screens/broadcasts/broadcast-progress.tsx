import type { BroadcastResource as Broadcast, BroadcastCounts, BroadcastState } from '@flotilla/contract/broadcasts.ts';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';

const LOOKS = {
  scheduled: 'disabled',
  running: 'ok',
  paused: 'not_polled',
  done: 'ok',
  cancelled: 'disabled',
} as const satisfies Record<BroadcastState, string>;

export function BroadcastBadge({ state }: { state: BroadcastState }): ReactNode {
  const words = useBroadcastsWords();
  return (
    <span className={`state ${LOOKS[state]}`}>
      <StateMark state={LOOKS[state]} />
      {words.states[state]}
    </span>
  );
}

/** How many chats are settled, as a bar and in numbers. */
export function BroadcastProgress({ broadcast: { name, counts } }: { broadcast: Broadcast }): ReactNode {
  const words = useBroadcastsWords();
  const number = useNumber();
  const { total, queued } = counts;
  return (
    <span className="broadcast-progress">
      <progress max={Math.max(1, total)} value={total - queued} aria-label={`${words.columns.progress}: ${name}`} />
      <span className="muted">{words.progress(number(total - queued), number(total))}</span>
    </span>
  );
}

/** Chats that will not get it, whatever happens. */
export function notReceived({ failed, blocked, in_doubt, cancelled }: BroadcastCounts): number {
  return failed + blocked + in_doubt + cancelled;
}
