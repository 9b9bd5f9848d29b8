import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { loadAhead } from '../load-late.ts';

/** Loads what may be needed next, once the screen is ready, has its data, and the browser is idle. */
export function useAhead(load: () => Promise<unknown>, isReady = true): void {
  const isQuiet = useIsFetching() === 0;
  const [wanted, setWanted] = useState(false);
  if (isReady && isQuiet && !wanted) setWanted(true);
  useEffect(() => {
    if (!wanted) return;
    const begin = () => void loadAhead(load);
    if (!('requestIdleCallback' in window)) return begin();
    const idle = requestIdleCallback(begin);
    return () => cancelIdleCallback(idle);
  }, [wanted, load]);
}
