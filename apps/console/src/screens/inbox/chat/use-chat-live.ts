import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { use, useEffect, useRef } from 'react';
import { LiveContext, type LiveEvent, useLive } from '../../../live.ts';
import type { Awaited } from './message-window.ts';
import { isAbout, toldMessage } from './told-message.ts';
import type { ChatId } from './use-window.ts';

/**
 * An update is live before the history has stored it, which gathers for up to half a second: so long after each answer
 * without it the api is asked again.
 */
const ASK_AFTER_MS = [250, 150, 150, 150, 150, 150, 300, 600, 1_200, 2_400];
/** By then the history has stored what was live. */
const STORED_MS = 1_500;

type Asking = { ask: () => Promise<unknown>; tell: (message: Message) => void; isThere: (awaited: Awaited) => boolean };

/**
 * Shows what the live stream tells of a chat, and asks for its messages until what happened is among them. Null: no chat
 * yet.
 */
export function useChatLive(chat: ChatId | null, asking: Asking): void {
  const latest = useRef(asking);
  latest.current = asking;
  const loop = useRef({ awaited: [] as Awaited[], attempt: 0, runs: false, ended: false });
  useEffect(() => {
    const { current } = loop;
    current.ended = false;
    return () => {
      current.ended = true;
    };
  }, []);
  const run = async () => {
    const { current } = loop;
    current.runs = true;
    for (current.attempt = 0; !current.ended && current.attempt < ASK_AFTER_MS.length; ) {
      await latest.current.ask();
      current.awaited = current.awaited.filter((one) => !latest.current.isThere(one));
      if (current.awaited.length === 0) break;
      await pause(ASK_AFTER_MS[current.attempt]!);
      current.attempt += 1;
    }
    current.awaited = [];
    current.runs = false;
  };
  const take = (event: LiveEvent, isShown: (awaited: Awaited[]) => boolean) => {
    if (event.name !== 'update' && event.name !== 'call') return;
    if (chat === null || !isAbout(chat, event) || isShown(awaitedOf(event))) return;
    const told = toldMessage(chat, event);
    if (told !== null) latest.current.tell(told);
    const { current } = loop;
    current.attempt = 0;
    current.awaited.push(...awaitedOf(event));
    if (!current.runs) void run();
  };
  const latestTake = useRef(take);
  latestTake.current = take;
  const live = use(LiveContext)!;
  const opened = useRef(Date.now());
  const topic = chat === null ? null : `chat:${chat.bot_id}:${chat.chat_id}`;
  const state = useLive(topic === null ? [] : [topic], (event) => take(event, () => false));
  // The first answer may lack messages that came just before the chat was watched.
  useEffect(() => {
    if (state !== 'live' || topic === null) return;
    const missed = live.eventsOf(topic, opened.current - STORED_MS);
    if (missed !== null) {
      const isThere = (awaited: Awaited[]) => awaited.length > 0 && awaited.every(latest.current.isThere);
      for (const event of missed) latestTake.current(event, isThere);
      return;
    }
    const timer = setTimeout(() => void latest.current.ask(), STORED_MS);
    return () => clearTimeout(timer);
  }, [live, state, topic]);
}

type Fields = { message_id?: number; edit_date?: number };

function awaitedOf(event: Extract<LiveEvent, { name: 'update' | 'call' }>): Awaited[] {
  const { data } = event;
  const message = ('update' in data ? data.update[data.kind] : data.result) as Fields | undefined;
  if (typeof message?.message_id !== 'number') return [];
  return [{ message_id: message.message_id, editS: message.edit_date ?? 0 }];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
