import { useCallback, useEffect, useRef, useState } from 'react';
import { useLive } from '../../live.ts';
import { type LiveRow, LiveRows } from './live-rows.ts';
import { useEarlierRows } from './use-earlier-rows.ts';

const SHOW_EVERY_MS = 250;
/** Nobody could read a list that is another one four times a second. */
const SHOW_MANY_EVERY_MS = 2_000;
const MANY = 10;

type Shown = { rows: LiveRow[]; made: number; skipped: number; perSecond: number };

/**
 * The newest events of these bots, after the last updates and deliveries of before. While it is held, the list stays as it is, and
 * what came since waits. `perSecond` is above 0 while so much happens that the list is shown anew less often.
 */
export function useLiveRows(botIds: readonly number[], held: boolean) {
  const [store] = useState(() => new LiveRows());
  const [shown, setShown] = useState<Shown>({ rows: [], made: 0, skipped: 0, perSecond: 0 });
  const [waiting, setWaiting] = useState<LiveRow[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef({ made: 0, atMs: performance.now(), isMuch: false });
  const show = useCallback(() => {
    const { made, skipped } = store;
    const nowMs = performance.now();
    const came = made - last.current.made;
    const perSecond = Math.round((came * 1_000) / Math.max(SHOW_EVERY_MS, nowMs - last.current.atMs));
    last.current = { made, atMs: nowMs, isMuch: came > MANY };
    setShown({ rows: store.newest(), made, skipped, perSecond: came > MANY ? perSecond : 0 });
    setWaiting([]);
  }, [store]);
  const refresh = useRef(() => {});
  refresh.current = () => {
    timer.current = undefined;
    // An empty list has nothing to hold: a small window is scrolled when its tab is brought into sight.
    if (!held || shown.rows.length === 0) return show();
    // Only the newest are kept, also of those that nobody sees yet.
    setWaiting(store.newest().filter(({ key }) => key > shown.made));
  };
  const topics = botIds.flatMap((id) => [`bot:${id}`, `attempts:${id}`]);
  const state = useLive(topics, (event) => {
    store.add(event);
    timer.current ??= setTimeout(() => refresh.current(), last.current.isMuch ? SHOW_MANY_EVERY_MS : SHOW_EVERY_MS);
  });
  useEarlierRows(botIds, (rows) => {
    store.addEarlier(rows);
    timer.current ??= setTimeout(() => refresh.current(), 0);
  });
  useEffect(() => {
    if (!held) show();
  }, [held, show]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { ...shown, waiting, show, state };
}
