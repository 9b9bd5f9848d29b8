import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../call.ts';
import { Icon } from '../parts/icon.tsx';
import { useWords } from '../words/words.tsx';

const LOOK_EVERY_MS = 30_000;

/** Says on every screen that changes are refused for maintenance. */
export function ReadOnlyBar(): ReactNode {
  const { readOnly: words } = useWords();
  const mode = useQuery({
    queryKey: ['read-only'],
    queryFn: ({ signal }) => call('showReadOnly', {}, signal),
    refetchInterval: LOOK_EVERY_MS,
  });
  if (mode.data?.read_only !== true) return null;
  return (
    <div role="status" className="outage">
      <Icon name="warning" />
      <p>
        {words.text} <span className="muted">{mode.data.reason ?? words.hint}</span>
      </p>
    </div>
  );
}
