const STORED_AS = 'flotilla-drafts';
/** Of one account; the oldest goes first. */
const MOST = 50;

/** What somebody began to write in a chat. */
export type Draft = { text: string; replyTo?: number; atMs: number };
type Chat = { botId: number; chatId: number };
type Stored = Record<string, Record<string, Draft>>;

export function readDraft(accountId: number, chat: Chat): Draft | null {
  return stored()[accountId]?.[nameOf(chat)] ?? null;
}

/** Keeps a draft over a reload and the end of the session; an empty one is forgotten. */
export function writeDraft(accountId: number, chat: Chat, draft: Draft): void {
  const { [nameOf(chat)]: _, ...others } = stored()[accountId] ?? {};
  const isEmpty = draft.text === '' && draft.replyTo === undefined;
  const newest = Object.entries(others)
    .toSorted(([, a], [, b]) => b.atMs - a.atMs)
    .slice(0, MOST - 1);
  store({
    ...stored(),
    [accountId]: Object.fromEntries(isEmpty ? Object.entries(others) : [[nameOf(chat), draft], ...newest]),
  });
}

/** Whoever signs out leaves nothing behind for the next person at this browser. */
export function forgetDrafts(accountId: number): void {
  const { [accountId]: _, ...others } = stored();
  store(others);
}

function nameOf({ botId, chatId }: Chat): string {
  return `${botId}:${chatId}`;
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
