import type { ApiKeyResource } from '@flotilla/contract/api-keys.ts';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { useWords } from '../../words/words.tsx';

/** The state of a key in one word. */
export function KeyState({ apiKey: { enabled, expires_at: at } }: { apiKey: ApiKeyResource }): ReactNode {
  const { access: words } = useWords();
  const state = at !== undefined && Date.parse(at) < Date.now() ? 'expired' : enabled ? 'works' : 'disabled';
  return (
    <span className={`state ${state === 'works' ? '' : 'disabled'}`}>
      <StateMark state={state === 'works' ? 'ok' : 'disabled'} />
      {words.keyStates[state]}
    </span>
  );
}
