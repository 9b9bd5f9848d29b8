import type { ReactNode } from 'react';
import { useMedia } from '../../parts/media.ts';
import { useDeliveriesWords } from './deliveries-words.ts';

const PHONE = '(max-width: 40rem)';

/** On a phone, filters are closed at first, because the list comes first. */
export function FoldedFilters({ isSet, children }: { isSet: boolean; children: ReactNode }): ReactNode {
  const { filters: words } = useDeliveriesWords();
  if (!useMedia(PHONE)) return children;
  return (
    <details open={isSet}>
      <summary>{words.label}</summary>
      {children}
    </details>
  );
}
