import type { ReactNode } from 'react';
import { usePhone } from '../../parts/phone.ts';
import { useDeliveriesWords } from './deliveries-words.ts';

/** On a phone, filters are closed at first, because the list comes first. */
export function FoldedFilters({ isSet, children }: { isSet: boolean; children: ReactNode }): ReactNode {
  const { filters: words } = useDeliveriesWords();
  if (!usePhone()) return children;
  return (
    <details open={isSet}>
      <summary>{words.label}</summary>
      {children}
    </details>
  );
}
