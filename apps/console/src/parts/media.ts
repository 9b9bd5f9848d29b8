import { useCallback, useSyncExternalStore } from 'react';

const lists = new Map<string, MediaQueryList>();

/** True while the media query matches. */
export function useMedia(query: string): boolean {
  const media = listOf(query);
  const subscribe = useCallback(
    (changed: () => void) => {
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => media.matches);
}

/** To make one costs the browser a look at all styles, so each query has one. */
function listOf(query: string): MediaQueryList {
  const media = lists.get(query) ?? window.matchMedia(query);
  lists.set(query, media);
  return media;
}
