import type { ChatResource } from '@flotilla/contract/chats.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { atOnceAndAfter } from '../../../live/at-once-and-after.ts';
import { type LiveEvent, useLive } from '../../../live.ts';
import { UNREAD_CHATS } from '../../../shell/unread-chats.ts';
import { CHATS, knownChat } from './use-chats.ts';

/** The browser watches 20 topics in all; the lists of more bots are asked for every 10 s. */
const MOST_BOTS = 8;
/** The history stores a message a moment after it is live. */
const STORED_MS = 1_000;

/** Asks for the list again when something happens in a chat of its bots, if these are few. */
export function useChatsLive(rows: readonly ChatResource[]): void {
  const queries = useQueryClient();
  const bots = [...new Set(rows.map(({ bot_id }) => bot_id))];
  const ask = useMemo(
    () =>
      atOnceAndAfter(STORED_MS, () => {
        for (const queryKey of [[CHATS], UNREAD_CHATS]) void queries.invalidateQueries({ queryKey });
      }),
    [queries],
  );
  const askUntilStored = () => {
    ask();
    // Calls in between act after the pause: by then it is stored.
    ask();
  };
  const handle = ({ name, data }: LiveEvent) => {
    if (name === 'update' || name === 'call') askUntilStored();
    // Only a chat that was read elsewhere needs another look.
    if (name === 'read' && !isNoted(queries, data)) ask();
  };
  // The stream does not repeat what was written or read just before it was open.
  useLive(bots.length > MOST_BOTS ? [] : bots.map((id) => `bot:${id}`), handle, askUntilStored);
}

function isNoted(queries: QueryClient, read: Extract<LiveEvent, { name: 'read' }>['data']): boolean {
  const known = knownChat(queries, {
    ...{ bot_id: read.bot_id, chat_id: read.chat_id },
    connection: read.business_connection_id,
  });
  return known?.unread === 0 && known.read_message_id === read.read_message_id;
}
