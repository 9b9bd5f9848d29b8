import { useState } from 'react';
import { type Draft, readDraft, writeDraft } from '../../../drafts.ts';
import { useSession } from '../../../session.tsx';
import type { ChatId } from '../chat/use-window.ts';

type Written = Pick<Draft, 'text' | 'replyTo'>;

/** What is written in a chat; it is there again after a reload. */
export function useDraft(chat: ChatId) {
  const { account } = useSession();
  const [draft, setDraft] = useState<Written>(() => readDraft(account.id, chat) ?? { text: '' });
  const change = (next: Written) => {
    writeDraft(account.id, chat, { ...next, atMs: Date.now() });
    setDraft(next);
  };
  return { draft, change, clear: () => change({ text: '' }) };
}
