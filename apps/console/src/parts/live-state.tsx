import type { ReactNode } from 'react';
import type { StreamState } from '../live.ts';
import { useWords } from '../words/words.tsx';
import { useOutage } from './use-outage.ts';

const SHAPES = { live: '●', connecting: '◐', polling: '○', offline: '○' } as const;

/** The state of the stream; an api that does not answer is as far away as one without a network. */
export function LiveState({ state }: { state: StreamState }): ReactNode {
  const { live: words } = useWords();
  const shown = useOutage() === 'network' ? 'offline' : state;
  return (
    <span className={`live-badge ${shown}`} title={words.stateHints[shown]}>
      <span aria-hidden="true">{SHAPES[shown]}</span>
      <span className="live-word">{words.states[shown]}</span>
    </span>
  );
}
