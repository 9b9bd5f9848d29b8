import { useEffect, useState, useSyncExternalStore } from 'react';
import type { MessageWindow } from './message-window.ts';

/** How many messages came since the end of the chat was last looked at; says so when it is. */
export function useNews(window: MessageWindow, isAtEnd: boolean, seen: (window: MessageWindow) => void): number {
  const isVisible = useIsVisible();
  const [known, setKnown] = useState(window.total);
  useEffect(() => {
    if (!isAtEnd || !isVisible) return;
    setKnown(window.total);
    seen(window);
  }, [window, isAtEnd, isVisible, seen]);
  return Math.max(0, window.total - known);
}

/** False while the page is in a tab that nobody sees. */
function useIsVisible(): boolean {
  return useSyncExternalStore(
    (changed) => {
      document.addEventListener('visibilitychange', changed);
      return () => document.removeEventListener('visibilitychange', changed);
    },
    () => document.visibilityState === 'visible',
  );
}
