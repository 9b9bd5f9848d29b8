import type { ReactNode } from 'react';
import { useLiveQueries } from '../live/use-live-queries.ts';
import { LiveState } from '../parts/live-state.tsx';

/** Says if the page shows at once what happens. */
export function LiveBadge(): ReactNode {
  return <LiveState state={useLiveQueries()} />;
}
