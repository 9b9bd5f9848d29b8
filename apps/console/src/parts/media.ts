import { useCallback, useSyncExternalStore } from 'react';

const known = new Map<string, MediaQueryList>();

/** True while the media query matches. */
export function useMedia(query: string): boolean {
  const media = mediaOf(query);
  const subscribe = useCallback(
    (changed: () => void) => {
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => media.matches);
}

/** One for each query: making one has the browser work out all styles. */
function mediaOf(query: string): MediaQueryList {
  const media = known.get(query) ?? window.matchMedia(query);
  known.set(query, media);
  return media;
}
