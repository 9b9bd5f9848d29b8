import type { Database } from '@flotilla/database/connect.ts';
import { PERIOD_S, type SearchQuery, searchQuery } from '@flotilla/database/search-query.ts';
import type { Message } from './message-store.ts';
import { type Searched, type SearchPage, searchStore, type WalkResult } from './search-store.ts';

export interface MessageSearch extends Searched, SearchPage {
  q: string;
}

export interface FoundMessages {
  messages: Message[];
  /**
   * The number of matches, at least. It counts all matches up to 1,000 in a chat of at most 20,000 messages, else up to
   * 200. If the words are so common that the newest messages filled the page, it counts only the messages read for it.
   */
  total: number;
}

/** Counting stops here, or at the end of the page if that is further. */
const COUNTED = 1_000;
/** In larger chats, counting must not delay a page. */
const COUNTED_CHAT = 20_000;
const COUNTED_IN_LARGE = 200;
const SAMPLE = 500;
/** For busy chats, in which the smaller sample predicts the cost of a look-up badly. */
const LARGER_SAMPLE = 3_000;
const LONGEST_WALK = 16_000;
const MOST_WALKS = 4;
/** In messages walked. Above this cost the smaller sample is not trusted. */
const COSTLY = 8_000;
/** A message found by its words is rarely cached, unlike the newest ones. Reading it costs as much as four of those. */
const LOOK_UP_COST = 4;
/** If more than this part of the newest messages has the last word, looking it up would list half the chat. */
const BROAD = 0.05;

/**
 * The messages of a chat that contain all words of `q`, the last one as a prefix, newest first, without deleted ones.
 * `searchWords` defines a word. A `q` without any finds nothing.
 */
export async function searchMessages(deps: { db: Database }, search: MessageSearch): Promise<FoundMessages> {
  const query = searchQuery(search.q);
  if (query === null) return { messages: [], total: 0 };
  if (search.before === null) return find(deps.db, query, search);
  const fromTheTop = { ...search, before: null, offset: 0, limit: 1 };
  const [page, all] = await Promise.all([find(deps.db, query, search), find(deps.db, query, fromTheTop)]);
  return { messages: page.messages, total: Math.max(all.total, page.total) };
}

// Common words are found by reading the newest messages, rare ones by look-up; a short walk tells which is cheaper.
// Messages of one user or one media type have an index to walk, but words are looked up in all messages.
async function find(db: Database, query: SearchQuery, search: MessageSearch): Promise<FoundMessages> {
  const store = searchStore(db);
  const { userId, mediaType, threadId } = search.filter ?? {};
  const isNarrow = userId !== undefined || mediaType !== undefined || (threadId ?? 0) !== 0;
  const end = search.offset + search.limit;
  let rows: number | null = SAMPLE;
  for (let walks = 1; ; walks += 1) {
    const seen: WalkResult = await store.walk(search, query, search, rows);
    const isLarge = seen.chatMessages > COUNTED_CHAT;
    const wanted = isLarge ? end : Math.max(end, COUNTED);
    if (seen.walked < rows || seen.matching >= wanted) return { messages: seen.messages, total: seen.matching };
    if (isNarrow) rows = rows < LONGEST_WALK ? LONGEST_WALK : null;
    else rows = walks < MOST_WALKS ? nextWalk(seen, wanted) : null;
    if (rows !== null) continue;
    const enough = Math.max(end, isLarge ? COUNTED_IN_LARGE : COUNTED);
    const lastIsBroad = query.others !== null && seen.withLast > BROAD * seen.walked;
    const { messages, matching } = await store.lookUp(search, query, search, { enough, lastIsBroad });
    return { messages, total: matching };
  }
}

/** How many messages to read next; null when looking the words up is probably cheaper. */
function nextWalk(seen: WalkResult, wanted: number): number | null {
  const needed = Math.ceil((seen.walked * wanted * 1.3) / seen.matching);
  if (needed <= LONGEST_WALK && needed <= lookUpCost(seen, seen.matching)) return needed;
  // The sample may have missed two matches by chance.
  const maySurprise = seen.walked < LARGER_SAMPLE && lookUpCost(seen, seen.matching + 2) > COSTLY;
  return maySurprise ? LARGER_SAMPLE : null;
}

/** The cost of looking up a period, in messages walked, if all resemble the newest in rate and content. */
function lookUpCost({ walked, spanS, chatMessages }: WalkResult, matching: number): number {
  const periodMessages = Math.min(chatMessages, (walked * PERIOD_S) / Math.max(spanS, 1));
  return LOOK_UP_COST * (matching / walked) * periodMessages;
}
