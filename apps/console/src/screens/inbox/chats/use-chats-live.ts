import type { ChatResource } from '@flotilla/contract/chats.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { atOnceAndAfter } from '../../../live/at-once-and-after.ts';
import { type LiveEvent, useLive } from '../../../live.ts';
import { CHATS } from './use-chats.ts';

/** The browser watches 20 topics in all; the lists of more bots are asked for every 10 s. */
const MOST_BOTS = 8;
/** The history stores a message a moment after it is live. */
const STORED_MS = 1_000;

/** Asks for the list again when something happens in a chat of its bots, if these are few. */
export function useChatsLive(rows: readonly ChatResource[]): void {
  const queries = useQueryClient();
  const bots = [...new Set(rows.map(({ bot_id }) => bot_id))];
  const ask = useMemo(
    () => atOnceAndAfter(STORED_MS, () => void queries.invalidateQueries({ queryKey: [CHATS] })),
    [queries],
  );
  const askUntilStored = () => {
    ask();
    // Calls in between act after the pause: by then it is stored.
    ask();
  };
  const handle = ({ name }: LiveEvent) => {
    if (name === 'update' || name === 'call') askUntilStored();
    // It was read elsewhere, and is stored.
    if (name === 'read') ask();
  };
  // The stream does not repeat what was written or read just before it was open.
  useLive(bots.length > MOST_BOTS ? [] : bots.map((id) => `bot:${id}`), handle, askUntilStored);
}
