import type { SavedFilter } from '@flotilla/contract/saved-views.ts';
import { linkOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SavedViews } from '../../parts/saved-views.tsx';
import { useWords } from '../../words/words.tsx';
import { type FleetFilter, readFleetFilter } from './fleet-filter.ts';

/** The saved views of the list of bots; the picture above it keeps its range. */
export function FleetViews({ filter: { range, ...filter } }: { filter: FleetFilter }): ReactNode {
  const { savedViews: words } = useWords();
  return (
    <SavedViews<Omit<FleetFilter, 'range'>>
      screen="fleet"
      filter={filter}
      filterOf={readFleetFilter}
      savedOf={(shown): SavedFilter => shown}
      linkTo={(chosen) => linkOptions({ to: '/', search: { ...chosen, ...(range && { range }) } })}
      frame={(views) => (
        <nav className="state-tabs fleet-views" aria-label={words.title}>
          {views}
        </nav>
      )}
    />
  );
}
