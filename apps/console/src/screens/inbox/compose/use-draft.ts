import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useRef, useState } from 'react';
import { type Draft, type EditedMessage, readDraft, writeDraft } from '../../../drafts.ts';
import { useSession } from '../../../session.tsx';
import type { ChatId } from '../chat/use-window.ts';
import { type Content, contentOf, isSameContent, isSameMarkup } from './content.ts';
import { countButtons, NO_MARKUP, rekeyed } from './markup.ts';

export type NewMessage = Content & { replyTo: number | undefined };
export type Edited = EditedMessage & { content: Content };

/** The draft of a chat; it survives a reload. */
export function useDraft(chat: ChatId) {
  const { account } = useSession();
  const [draft, setDraft] = useState(() => newMessageOf(readDraft(account.id, chat)));
  const latest = useRef(draft);
  const write = (next: NewMessage) => {
    latest.current = next;
    keepDraft(account.id, chat, next);
    setDraft(next);
  };
  const change = (changes: Partial<NewMessage>) => write({ ...latest.current, ...changes });
  /** Takes away what was sent; what was written since then stays. */
  const clear = (sent: NewMessage) => write(without(latest.current, sent));
  return { draft, change, clear };
}

/** Takes what was sent out of the draft that is kept for later. */
export function clearKeptDraft(accountId: number, chat: ChatId, sent: NewMessage): void {
  const kept = readDraft(accountId, chat);
  // Whoever signed out while it was sent leaves no draft behind.
  if (kept !== null) keepDraft(accountId, chat, without(newMessageOf(kept), sent));
}

function keepDraft(accountId: number, chat: ChatId, draft: NewMessage): void {
  const isEmpty = draft.text === '' && draft.replyTo === undefined && countButtons(draft.markup) === 0;
  writeDraft(accountId, chat, isEmpty ? null : { ...draft, atMs: Date.now() });
}

function without({ text, format, markup, replyTo }: NewMessage, sent: NewMessage): NewMessage {
  return {
    format,
    text: text === sent.text ? '' : text,
    markup: isSameMarkup(markup, sent.markup) ? NO_MARKUP : markup,
    replyTo: replyTo === sent.replyTo ? undefined : replyTo,
  };
}

/** The message of the chat that is changed, if one is; once it is changed it is there again after a reload. */
export function useEdited(chat: ChatId) {
  const { account } = useSession();
  const place = { ...chat, of: 'edit' } as const;
  const [edited, setEdited] = useState<Edited | null>(() => {
    const kept = readDraft(account.id, place);
    return kept?.edits ? { ...kept.edits, content: contentOfDraft(kept) } : null;
  });
  const latest = useRef(edited);
  const set = (next: Edited | null) => {
    latest.current = next;
    setEdited(next);
  };
  const begin = (message: Message) =>
    set({ id: message.id, hasMedia: message.media_type !== undefined, content: contentOf(message) });
  const change = (changes: Partial<Content>) => {
    if (latest.current === null) return;
    const { id, hasMedia, content: before } = latest.current;
    const content = { ...before, ...changes };
    writeDraft(account.id, place, { ...content, edits: { id, hasMedia }, atMs: Date.now() });
    set({ id, hasMedia, content });
  };
  const end = () => {
    writeDraft(account.id, place, null);
    set(null);
  };
  /** Ends it, unless something was written since it was saved. */
  const saved = (content: Content) => {
    if (latest.current === null || isSameContent(latest.current.content, content)) end();
  };
  return { edited, begin, change, end, saved };
}

function newMessageOf(kept: Draft | null): NewMessage {
  return { ...contentOfDraft(kept), replyTo: kept?.replyTo };
}

function contentOfDraft(draft: Draft | null): Content {
  const { text, format, markup } = draft ?? { text: '', format: 'plain', markup: NO_MARKUP };
  return { text, format, markup: rekeyed(markup) };
}
