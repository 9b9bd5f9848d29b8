import { useEffect, useRef } from 'react';
import { call } from '../../../call.ts';
import type { ChatId } from '../chat/use-window.ts';
import { conversationOf } from '../conversation.ts';

const TYPING_EVERY_MS = 3_000;

/** Tells others of the team that the chat is out of sight, or in sight again; showing it says the rest. Returns what to call while somebody writes. */
export function usePresence(chat: ChatId): () => void {
  const latest = useRef(chat);
  latest.current = chat;
  const typedAtMs = useRef(0);
  useEffect(() => {
    const changed = () => say(latest.current, document.hidden ? 'left' : 'viewing');
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  }, []);
  return () => {
    if (Date.now() - typedAtMs.current < TYPING_EVERY_MS) return;
    typedAtMs.current = Date.now();
    say(latest.current, 'typing');
  };
}

/** Nobody misses anything if it fails: it is said again soon. */
function say(chat: ChatId, doing: 'viewing' | 'typing' | 'left'): void {
  call('notePresence', { ...conversationOf(chat), doing }).catch(() => {});
}
