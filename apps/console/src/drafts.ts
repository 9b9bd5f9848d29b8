import type { Content } from './screens/inbox/compose/content.ts';

const STORED_AS = 'flotilla-drafts';
/** Of one account; the oldest goes first. */
const MOST = 50;

export type Draft = Content & {
  atMs: number;
  replyTo?: number | undefined;
  /** The message that it changes. */
  edits?: EditedMessage | undefined;
};
export type EditedMessage = { id: number; hasMedia: boolean };
/** A chat, and each of its topics and business connections, has three drafts: of a new message, of a change, and of a note. */
type Place = {
  bot_id: number;
  chat_id: number;
  connection?: string | undefined;
  threadId?: number | undefined;
  of?: 'new' | 'edit' | 'note';
};
type Stored = Record<string, Record<string, Draft>>;

export function readDraft(accountId: number, place: Place): Draft | null {
  return stored()[accountId]?.[nameOf(place)] ?? null;
}

/** Keeps a draft over a reload and the end of the session; null forgets it. */
export function writeDraft(accountId: number, place: Place, draft: Draft | null): void {
  const { [nameOf(place)]: _, ...others } = stored()[accountId] ?? {};
  const newest = Object.entries(others)
    .toSorted(([, a], [, b]) => b.atMs - a.atMs)
    .slice(0, MOST - 1);
  store({
    ...stored(),
    [accountId]: Object.fromEntries(draft === null ? Object.entries(others) : [[nameOf(place), draft], ...newest]),
  });
}

/** Takes the draft of a chat to another one, unless that has its own. The message that it answers is not there. */
export function moveDraft(accountId: number, from: Place, to: Place): void {
  const draft = readDraft(accountId, from);
  if (draft === null) return;
  const { replyTo: _, ...moved } = draft;
  if (readDraft(accountId, to) === null && moved.text !== '') writeDraft(accountId, to, moved);
  writeDraft(accountId, from, null);
}

/** Whoever signs out leaves nothing behind for the next person at this browser. */
export function forgetDrafts(accountId: number): void {
  const { [accountId]: _, ...others } = stored();
  store(others);
}

function nameOf({ bot_id, chat_id, connection, threadId, of = 'new' }: Place): string {
  const whole = connection === undefined ? `${bot_id}:${chat_id}` : `${bot_id}:${chat_id}:b${connection}`;
  const chat = threadId === undefined ? whole : `${whole}:t${threadId}`;
  return of === 'new' ? chat : `${chat}:${of}`;
}

/** A browser may forbid storage, or hold what another release wrote. */
function stored(): Stored {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function store(drafts: Stored): void {
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(drafts));
  } catch {
    // The draft then lives as long as the page.
  }
}
