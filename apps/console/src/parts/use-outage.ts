import { useSyncExternalStore } from 'react';
import { type Outage, onOutage, outageNow } from '../outage.ts';

export function useOutage(): Outage | null {
  return useSyncExternalStore(onOutage, outageNow);
}
