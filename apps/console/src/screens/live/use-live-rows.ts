import { useCallback, useEffect, useRef, useState } from 'react';
import { useLive } from '../../live.ts';
import { type LiveRow, LiveRows } from './live-rows.ts';

const SHOW_EVERY_MS = 250;

/** The newest events of these topics. While it is held, the list stays as it is, and what came since waits. */
export function useLiveRows(topics: readonly string[], held: boolean) {
  const [store] = useState(() => new LiveRows());
  const [shown, setShown] = useState<{ rows: LiveRow[]; made: number }>({ rows: [], made: 0 });
  const [waiting, setWaiting] = useState<LiveRow[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const show = useCallback(() => {
    setShown({ rows: store.newest(), made: store.made });
    setWaiting([]);
  }, [store]);
  const refresh = useRef(() => {});
  refresh.current = () => {
    timer.current = undefined;
    if (!held) return show();
    // Only the newest are kept, also of those that nobody sees yet.
    setWaiting(store.newest().filter(({ key }) => key > shown.made));
  };
  const state = useLive(topics, (event) => {
    store.add(event);
    timer.current ??= setTimeout(() => refresh.current(), SHOW_EVERY_MS);
  });
  useEffect(() => {
    if (!held) show();
  }, [held, show]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { rows: shown.rows, waiting, show, state };
}
