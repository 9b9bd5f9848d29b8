import type { Database } from '@flotilla/database/connect.ts';
import { type SearchQuery, searchQuery } from '@flotilla/database/search-query.ts';
import type { ChatOfBot, Message } from './message-store.ts';
import { type SearchPage, searchStore, type WalkResult } from './search-store.ts';

export interface MessageSearch extends ChatOfBot, SearchPage {
  q: string;
}

export interface FoundMessages {
  messages: Message[];
  /**
   * How many match, at least: counting ends at 1,000 or at the end of the page, whichever is further. In a chat of
   * more than 20,000 messages it may end before 1,000.
   */
  total: number;
}

/** Counting goes on to here, and to the end of the page where that is further. */
const COUNTED = 1_000;
/** In larger chats a page that was found fast is not held up by counting. */
const COUNTED_CHAT = 20_000;
const FIRST_WALK = 500;
const LONGEST_WALK = 4_000;
/** A last word that this part of the newest messages has would fill a list of half the chat. */
const BROAD = 0.05;

/**
 * The messages of a chat that have all words of `q`, the last one as a prefix, newest first; deleted ones are left out.
 * What counts as a word is said at `searchWords`; a `q` without one finds nothing.
 */
export async function searchMessages(deps: { db: Database }, search: MessageSearch): Promise<FoundMessages> {
  const query = searchQuery(search.q);
  if (query === null) return { messages: [], total: 0 };
  if (search.before === null) return find(deps.db, query, search);
  const fromTheTop = { ...search, before: null, offset: 0, limit: 1 };
  const [page, all] = await Promise.all([find(deps.db, query, search), find(deps.db, query, fromTheTop)]);
  return { messages: page.messages, total: Math.max(all.total, page.total) };
}

// Common words are found by reading the newest messages, rare ones by looking them up: a short walk tells which it is.
async function find(db: Database, query: SearchQuery, search: MessageSearch): Promise<FoundMessages> {
  const store = searchStore(db);
  const first = await store.walk(search, query, search, FIRST_WALK);
  const wanted = wantedMatches(search, first.chatMessages);
  if (isAnswer(first, FIRST_WALK, wanted)) return { messages: first.messages, total: first.matching };
  const rows = Math.ceil((FIRST_WALK * wanted * 1.5) / first.matching);
  if (rows <= LONGEST_WALK) {
    const second = await store.walk(search, query, search, rows);
    if (isAnswer(second, rows, wanted)) return { messages: second.messages, total: second.matching };
  }
  const enough = Math.max(search.offset + search.limit, COUNTED);
  const lastIsBroad = query.others !== null && first.withLast > BROAD * first.walked;
  const { messages, matching } = await store.lookUp(search, query, search, { enough, lastIsBroad });
  return { messages, total: matching };
}

function wantedMatches({ offset, limit }: SearchPage, chatMessages: number): number {
  return chatMessages <= COUNTED_CHAT ? Math.max(offset + limit, COUNTED) : offset + limit;
}

function isAnswer({ walked, matching }: WalkResult, rows: number, wanted: number): boolean {
  return walked < rows || matching >= wanted;
}
