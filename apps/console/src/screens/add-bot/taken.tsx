import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { StateMark } from '../../parts/state-badge.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useAddBotWords } from './add-bot-words.ts';

const REFRESH_MS = 2_000;
/** Right after an update came: what is asked so often tells how soon it was taken. */
const WATCHING_MS = 250;
const WATCHED_FOR_MS = 10_000;

/** The newest update that the stream brought while the page was open, and when by the clock of the page. */
export type SeenUpdate = { id: number; atMs: number };
type Taking = { botId: number; seen: SeenUpdate | undefined };

/** That the program has the newest update, and how long after it came where that is known. */
export function Taken({ botId, seen }: Taking): ReactNode {
  const words = useAddBotWords();
  const number = useNumber();
  const isWatched = () => seen !== undefined && performance.now() - seen.atMs < WATCHED_FOR_MS;
  const taken = useQuery({
    queryKey: ['first-taken', botId, seen?.id],
    queryFn: ({ signal }) => readTaken({ botId, seen }, signal),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => {
      if (state.data) return false;
      return isWatched() ? WATCHING_MS : REFRESH_MS;
    },
  });
  if (!taken.data) return null;
  const { afterMs, withinMs } = taken.data;
  return (
    <p role="status" className="state">
      <StateMark state="ok" />
      {afterMs === undefined
        ? withinMs === undefined
          ? words.taken
          : words.takenWithin(number(withinMs))
        : words.takenAfter(number(afterMs))}
    </p>
  );
}

/** afterMs: by the attempt at a backend. withinMs: the longest that a program that polls can have needed. */
type Took = { afterMs?: number; withinMs?: number };

/** Null while the program has not taken the newest update. */
async function readTaken({ botId, seen }: Taking, signal: AbortSignal): Promise<Took | null> {
  const [newest] = await call('listUpdates', { bot_id: botId, limit: 1 }, signal);
  if (newest === undefined) return null;
  const { readers } = await call('showUpdate', { bot_id: botId, update_id: newest.update_id }, signal);
  const reader = readers.find(({ reader: name, outcome }) => outcome === 'delivered' && name !== 'rules');
  if (reader === undefined) return null;
  const last = reader.attempts.findLast(({ ok }) => ok);
  if (last) return { afterMs: Math.max(0, Date.parse(last.at) + last.duration_ms - Date.parse(newest.at)) };
  const sinceMs = seen?.id === newest.update_id ? Math.ceil(performance.now() - seen.atMs) : WATCHED_FOR_MS;
  return sinceMs < WATCHED_FOR_MS ? { withinMs: sinceMs } : {};
}
