import type { BotResource, BotState } from '@flotilla/contract/bots.ts';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';

/** A shape for each state, because colours are not for everybody. */
const SHAPES: Record<BotState, string> = {
  ok: 'M6 2.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7z',
  failing: 'M6 1.5L11 10H1z',
  open: 'M2 2h8v8H2z',
  disabled: 'M2 5h8v2H2z',
  not_polled: 'M6 1l5 5-5 5-5-5z',
};

/** The state in one word, as the list filters by it. */
export function stateOf({ disabled, running, backend_state }: BotResource): BotState {
  if (disabled) return 'disabled';
  return running ? backend_state : 'not_polled';
}

export function StateMark({ state }: { state: BotState }): ReactNode {
  return (
    <svg className={`mark ${state}`} viewBox="0 0 12 12" aria-hidden="true">
      <path d={SHAPES[state]} />
    </svg>
  );
}

export function StateBadge({ state }: { state: BotState }): ReactNode {
  const words = useWords();
  return (
    <span className={`state ${state}`} title={words.stateHints[state]}>
      <StateMark state={state} />
      {words.states[state]}
    </span>
  );
}
