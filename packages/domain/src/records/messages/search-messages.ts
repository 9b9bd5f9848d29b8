import type { Database } from '@flotilla/database/connect.ts';
import { periodSeconds, type SearchQuery, searchQuery } from '@flotilla/database/search-query.ts';
import { untilAborted } from '@flotilla/database/until-aborted.ts';
import { readWordForms, type WordForms } from '@flotilla/database/word-forms.ts';
import { lookUpSteps } from './look-up-steps.ts';
import type { Message } from './message-store.ts';
import { readSearchPlaces } from './search-places.ts';
import { type Searched, searchStore, type WalkResult } from './search-store.ts';
import { withinSearchTime } from './search-time.ts';

export interface MessageSearch extends Searched {
  q: string;
  /** Ends the search, also in Postgres. */
  signal?: AbortSignal | undefined;
}

export interface FoundMessages {
  messages: Message[];
  /**
   * The number of matches, at least. It counts all matches up to 1,000 in chats of at most 20,000 messages, else up to
   * 200. If the words are so common that the newest messages filled the page, it counts only the messages read for it.
   */
  total: number;
  /** The other forms of the words of `q` that were looked for. */
  forms: WordForms;
}

/** Counting stops here, or at the end of the page if that is further. */
const COUNTED = 1_000;
/** In larger chats, and in all chats of a bot, counting must not delay a page. */
const COUNTED_CHAT = 20_000;
const COUNTED_IN_LARGE = 200;
const SAMPLE = 500;
/** For busy chats, in which the smaller sample predicts the cost of a look-up badly. */
const LARGER_SAMPLE = 3_000;
const LONGEST_WALK = 16_000;
const LATELY_S = 40 * 86_400;
const MOST_WALKS = 4;
/** In messages walked. Above this cost the smaller sample is not trusted. */
const COSTLY = 8_000;
/** A message found by its words is rarely cached, unlike the newest ones. Reading it costs as much as four of those. */
const LOOK_UP_COST = 4;
/** If more than this part of the newest messages has the last word, looking it up would list half of all messages. */
const BROAD = 0.05;

/**
 * The messages in the scope that contain all words of `q` in any form, the last one also as a prefix, newest first, without deleted ones.
 * `searchWords` defines a word. A `q` without any finds nothing. Throws 'unavailable' if it takes too long.
 */
export async function searchMessages(deps: { db: Database }, search: MessageSearch): Promise<FoundMessages> {
  if (searchQuery(search.q) === null || seesNothing(search)) return { messages: [], total: 0, forms: new Map() };
  return withinSearchTime(search.signal, async (ended) => {
    const forms = await readWordForms(deps.db, search.q);
    const query = searchQuery(search.q, forms)!;
    const findOn = (searched: Searched) =>
      untilAborted(deps.db, ended, (connection) => find({ db: connection, ended }, query, searched));
    if (search.before === null) return { ...(await findOn(search)), forms };
    const fromTheTop = { ...search, before: null, offset: 0, limit: 1 };
    const [page, all] = await Promise.all([findOn(search), findOn(fromTheTop)]);
    return { messages: page.messages, total: Math.max(all.total, page.total), forms };
  });
}

// Common words are found by reading the newest messages, rare ones by look-up; a short walk tells which is cheaper.
// In a chat, messages of one user, media type or topic have an index to walk, but words are looked up in all messages.
async function find(
  { db, ended }: { db: Database; ended: AbortSignal },
  query: SearchQuery,
  search: Searched,
): Promise<Omit<FoundMessages, 'forms'>> {
  const store = searchStore(db, ended);
  const isNarrow = isIndexed(search);
  const end = search.offset + search.limit;
  let rows: number | null = SAMPLE;
  let sinceS: number | null = lately(search);
  for (let walks = 1; ; walks += 1) {
    const seen: WalkResult = await store.walk(search, query, rows, sinceS);
    if (seen.walked < rows && sinceS !== null) {
      sinceS = null;
      continue;
    }
    const isLarge = isOfBots(search) || seen.chatMessages > COUNTED_CHAT;
    const wanted = isLarge ? end : Math.max(end, COUNTED);
    if (seen.walked < rows || seen.matching >= wanted) return { messages: seen.messages, total: seen.matching };
    if (isNarrow) rows = rows < LONGEST_WALK ? LONGEST_WALK : null;
    else rows = walks < MOST_WALKS ? nextWalk(search, seen, wanted) : null;
    if (rows !== null) continue;
    const enough = Math.max(end, isLarge ? COUNTED_IN_LARGE : COUNTED);
    const lastIsBroad = query.others !== null && seen.withLast > BROAD * seen.walked;
    const { periods, partitions } = await readSearchPlaces(db, search);
    const steps = lookUpSteps(search.scope, query, periods, lastIsBroad);
    const { messages, matching } = await store.lookUp(search, steps, query, enough, partitions);
    return { messages, total: matching };
  }
}

/** Where busy chats have enough messages, so that older months are not planned for. */
function lately({ before, filter: { fromS = -Infinity, toS = Infinity } = {} }: Searched): number | null {
  const sinceS = Math.min(before?.[0] ?? Date.now() / 1000, toS) - LATELY_S;
  return sinceS > fromS ? Math.floor(sinceS) : null;
}

function seesNothing({ scope }: Searched): boolean {
  return scope !== 'fleet' && 'botIds' in scope && scope.botIds.length === 0;
}

function isOfBots({ scope }: Searched): boolean {
  return scope === 'fleet' || 'botIds' in scope;
}

function isIndexed(search: Searched): boolean {
  const { user_id, media_type, thread_id } = search.filter ?? {};
  return !isOfBots(search) && (user_id !== undefined || media_type !== undefined || (thread_id ?? 0) !== 0);
}

/** How many messages to read next; null when looking the words up is probably cheaper. */
function nextWalk(search: Searched, seen: WalkResult, wanted: number): number | null {
  const needed = Math.ceil((seen.walked * wanted * 1.3) / seen.matching);
  if (needed <= LONGEST_WALK && needed <= lookUpCost(search, seen, seen.matching)) return needed;
  // The sample may have missed two matches by chance.
  const maySurprise = seen.walked < LARGER_SAMPLE && lookUpCost(search, seen, seen.matching + 2) > COSTLY;
  return maySurprise ? LARGER_SAMPLE : null;
}

/** The cost of looking up a period, in messages walked, if all resemble the newest in rate and content. */
function lookUpCost({ scope }: Searched, { walked, spanS, chatMessages }: WalkResult, matching: number): number {
  const atThisRate = (walked * periodSeconds(scope)) / Math.max(spanS, 1);
  const periodMessages = chatMessages === 0 ? atThisRate : Math.min(chatMessages, atThisRate);
  return LOOK_UP_COST * (matching / walked) * periodMessages;
}
