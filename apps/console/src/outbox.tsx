import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { createContext, type ReactNode, use, useState } from 'react';
import type { ChatId } from './screens/inbox/chat/use-window.ts';
import type { NewMessage } from './screens/inbox/compose/use-draft.ts';

export type Sent = NewMessage & { file: File | null };
/** Of the message that is written in a chat: its files, its send, and why the last send failed. */
export type Outgoing = {
  /** They are sent one after the other, each as a message. */
  files: readonly File[];
  /** The file that is sent, and how much of it, from 0 to 1. */
  sending: { file: File | null; progress: number } | null;
  error: Error | null;
  /** The file whose send failed. */
  failed: File | null;
};
type SentListener = (message: Message, sent: Sent) => void;

const NOTHING: Outgoing = { files: [], sending: null, error: null, failed: null };

/** Holds what is sent in each chat and topic, because a send goes on while another chat or screen is shown. */
function createOutbox() {
  const chats = new Map<string, Outgoing>();
  const listeners = new Set<() => void>();
  const sentListeners = new Map<string, Set<SentListener>>();
  const of = (chat: ChatId): Outgoing => chats.get(keyOf(chat)) ?? NOTHING;
  return {
    of,
    change(chat: ChatId, changes: Partial<Outgoing>): void {
      chats.set(keyOf(chat), { ...of(chat), ...changes });
      for (const listener of listeners) listener();
    },
    attach(chat: ChatId, files: readonly File[]): void {
      if (files.length > 0) this.change(chat, { files: [...of(chat).files, ...files] });
    },
    remove(chat: ChatId, file: File): void {
      const { files, failed, error } = of(chat);
      const rest = { files: files.filter((one) => one !== file) };
      this.change(chat, failed === file ? { ...rest, failed: null, error: null } : { ...rest, failed, error });
    },
    /** Calls the listener after every change; returns what ends that. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tellSent(chat: ChatId, message: Message, sent: Sent): void {
      for (const listener of sentListeners.get(keyOf(chat)) ?? []) listener(message, sent);
    },
    /** Calls the listener after every message that was sent in the chat; returns what ends that. */
    onSent(chat: ChatId, listener: SentListener): () => void {
      const known = sentListeners.get(keyOf(chat)) ?? new Set();
      sentListeners.set(keyOf(chat), known.add(listener));
      return () => known.delete(listener);
    },
  };
}

function keyOf({ bot_id, chat_id, connection, threadId }: ChatId): string {
  return `${bot_id}:${chat_id}:${connection ?? ''}:${threadId ?? ''}`;
}

const OutboxContext = createContext<ReturnType<typeof createOutbox> | null>(null);

export function useOutbox(): ReturnType<typeof createOutbox> {
  return use(OutboxContext)!;
}

/** Below the session, so that nothing of it is left for the next person at this browser. */
export function OutboxProvider({ children }: { children: ReactNode }): ReactNode {
  const [outbox] = useState(createOutbox);
  return <OutboxContext value={outbox}>{children}</OutboxContext>;
}
