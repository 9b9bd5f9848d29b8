import type { Database } from '@flotilla/database/connect.ts';
import { blockedChatStore, type Membership } from '../chats/blocked-chat-store.ts';
import { journalStore, type PageRow, pageOf } from '../journal/journal-store.ts';
import { storeMove } from '../moved-groups/move-group.ts';
import { movedGroupStore } from '../moved-groups/moved-group-store.ts';
import { businessChatStore } from './business-chat-store.ts';
import {
  type DeadLetterRow,
  deadLetterOf,
  deadLetterOfGone,
  insertDeadLetters,
  malformedInHistory,
  refusedByHistory,
} from './dead-letters.ts';
import { callEffects } from './effects/call-effects.ts';
import type { HistoryBot, HistoryEffect } from './effects/history-effect.ts';
import {
  chatKey,
  chatNameKey,
  emptyFold,
  type FoldedAuthor,
  type FoldedChat,
  type FoldedMessage,
  type FoldedMigration,
  type FoldedTopic,
  foldEffect,
  type HistoryFold,
  messageKey,
  type StoredBefore,
} from './effects/history-fold.ts';
import { updateEffects } from './effects/update-effects.ts';
import { type CountedChat, historyChatStore } from './history-chat-store.ts';
import { type ChatCount, historyMessageStore, type WrittenToChat } from './history-message-store.ts';
import { historyTopicStore } from './history-topic-store.ts';
import { inSlices } from './in-slices.ts';
import { insertAudits } from './insert-audits.ts';
import { lockBots } from './lock-bots.ts';
import { lockPrograms, programOf } from './lock-programs.ts';
import { placeEvents } from './message-place.ts';
import { insertRouteLinks } from './route-links.ts';
import { addRuleHits } from './rule-hits.ts';
import type { HistoryEntry, HitsEntry, LinkEntry } from './stream/history-codec.ts';

type BotEffect = { bot_id: number; effect: HistoryEffect };

/**
 * Writes the entries in one transaction. Returns those that cannot be kept as they are, stored as dead letters, and
 * how many messages replaced older ones with the same id.
 * Throws what Postgres says when it refuses the batch; then nothing of it is written.
 */
export async function writeBatch(
  db: Database,
  entries: readonly HistoryEntry[],
): Promise<{ refused: DeadLetterRow[]; replaced: number }> {
  return db.transaction().execute(async (transaction) => {
    const bots = await lockBots(transaction, [...new Set(entries.map((entry) => entry.botId))]);
    const programs = await lockPrograms(transaction, entries);
    const { fold, deadLetters, links, pages, hits, refused } = await foldEntries(transaction, entries, bots, programs);
    const replaced = await writeFold(transaction, fold);
    if (pages.length > 0) await journalStore(transaction).add(pages);
    if (links.length > 0) await insertRouteLinks(transaction, links);
    if (hits.length > 0) await addRuleHits(transaction, hits);
    if (deadLetters.length > 0) await insertDeadLetters(transaction, deadLetters);
    return { refused, replaced };
  });
}

/**
 * Writes effects in the order given; `db` should be a transaction. Returns how many messages replaced older ones with
 * the same id.
 */
export async function writeEffects(db: Database, effects: readonly BotEffect[]): Promise<number> {
  return writeFold(db, await foldEffects(db, effects));
}

async function foldEffects(db: Database, effects: readonly BotEffect[]): Promise<HistoryFold> {
  const fold = emptyFold(await findStoredBefore(db, effects));
  await inSlices(effects, ({ bot_id, effect }) => foldEffect(fold, bot_id, effect));
  return fold;
}

/** The effects are local to this function, so that they are garbage while their fold is written. */
async function foldEntries(
  db: Database,
  entries: readonly HistoryEntry[],
  bots: Map<number, HistoryBot>,
  programs: ReadonlySet<number>,
) {
  const { effects, ...others } = await readEffects(entries, bots, programs);
  return { ...others, fold: await foldEffects(db, effects) };
}

async function readEffects(
  entries: readonly HistoryEntry[],
  bots: Map<number, HistoryBot>,
  programs: ReadonlySet<number>,
) {
  const effects: BotEffect[] = [];
  const deadLetters: DeadLetterRow[] = [];
  const links: LinkEntry[] = [];
  const pages: PageRow[] = [];
  const hits: HitsEntry[] = [];
  const refused: DeadLetterRow[] = [];
  await inSlices(entries, (entry) => {
    const bot = bots.get(entry.botId);
    // A record without a readable bot is kept under the bot 0; one of a deleted bot is dropped like all others of it.
    if (entry.type === 'malformed') {
      if (bot !== undefined || entry.botId === 0) refused.push(malformedInHistory(entry));
      return;
    }
    // The bot was deleted or registered anew: its old history is gone, and this entry belongs to that.
    if (bot === undefined || bot.registration_id !== entry.registrationId) return;
    if (entry.type === 'dead') {
      const programId = programOf(entry);
      const isGone = programId !== null && !programs.has(programId);
      const row = isGone ? deadLetterOfGone(entry, programId) : deadLetterOf(entry);
      if (row !== null) deadLetters.push(row);
    } else if (entry.type === 'link') links.push(entry);
    else if (entry.type === 'lines') pages.push(pageOf(entry));
    else if (entry.type === 'hits') hits.push(entry);
    else if (bot.manage_enabled) {
      try {
        const found = entry.type === 'update' ? updateEffects(bot, entry) : callEffects(bot, entry);
        for (const effect of found) effects.push({ bot_id: bot.id, effect });
      } catch (error) {
        refused.push(refusedByHistory(entry, error));
      }
    }
  });
  return { effects, deadLetters: [...deadLetters, ...refused], links, pages, hits, refused };
}

// Most batches refer to no stored row; then nothing is queried.
async function findStoredBefore(db: Database, effects: readonly BotEffect[]): Promise<StoredBefore> {
  const names = effects.flatMap(({ bot_id, effect }) => chatNames(effect).map((name) => ({ bot_id, name })));
  const found = names.length === 0 ? [] : await historyChatStore(db).findChatNames(names);
  const chatIds = new Map(found.map(({ bot_id, name, id }) => [chatNameKey(bot_id, name), id]));
  const sources = effects.flatMap(({ bot_id, effect }) => {
    if (effect.type !== 'copy' && effect.type !== 'edit') return [];
    const from = effect.type === 'copy' ? effect.copy.from : effect.chat;
    const pairs = effect.type === 'copy' ? effect.copy.pairs : [{ sourceId: effect.id }];
    const chat_id = typeof from === 'number' ? from : chatIds.get(chatNameKey(bot_id, from));
    if (chat_id === undefined) return [];
    return pairs.flatMap(({ sourceId }) => (sourceId === null ? [] : [{ bot_id, chat_id, id: sourceId }]));
  });
  const messages = sources.length === 0 ? [] : await historyMessageStore(db).findMessages(sources);
  const byKey = messages.map((row) => [messageKey(row.bot_id, '', row.chat_id, row.id), row] as const);
  return { messages: new Map(byKey), chatNames: chatIds, forums: await findForums(db, effects, chatIds) };
}

/** The forums among the chats that messages were copied to: a copy in General names no topic. */
async function findForums(
  db: Database,
  effects: readonly BotEffect[],
  chatIds: ReadonlyMap<string, number>,
): Promise<Set<string>> {
  const targets = effects.flatMap(({ bot_id, effect }) => {
    if (effect.type !== 'copy' || effect.copy.details.thread_id !== undefined) return [];
    const { to } = effect.copy;
    const chat_id = typeof to === 'number' ? to : chatIds.get(chatNameKey(bot_id, to));
    return chat_id === undefined ? [] : [{ bot_id, chat_id }];
  });
  const forums = targets.length === 0 ? [] : await historyTopicStore(db).findForums(targets);
  return new Set(forums.map(({ bot_id, chat_id }) => chatKey(bot_id, chat_id)));
}

function chatNames(effect: HistoryEffect): string[] {
  const chats =
    effect.type === 'copy'
      ? [effect.copy.from, effect.copy.to]
      : effect.type === 'delete' || effect.type === 'edit'
        ? [effect.chat]
        : effect.type === 'audit'
          ? [effect.audit.chat]
          : effect.type === 'topic'
            ? [effect.topic.chat]
            : [];
  return chats.filter((chat) => typeof chat === 'string');
}

// Rows are handed over in the order of their keys and tables always in this order, so that two writers of one bot
// (this one and a REST call that stores what it sent) wait for each other instead of deadlocking.
async function writeFold(db: Database, fold: HistoryFold): Promise<number> {
  const [messages, chats] = [historyMessageStore(db), historyChatStore(db)];
  if (fold.messages.size > 0) await placeEvents(db, [...fold.messages.values()]);
  const added = fold.messages.size === 0 ? [] : await messages.upsertMessages(takeMessages(fold));
  if (fold.polls.size > 0) await messages.updatePolls([...fold.polls.values()]);
  const removed = fold.deletions.length === 0 ? [] : await deleteMessages(messages, fold);
  const { known, guessed } = countedChats(fold, added);
  if (known.length > 0) await chats.upsertChats(known);
  if (guessed.length > 0) await chats.upsertGuessedChats(guessed);
  const ofBusiness = added.filter(({ business_connection_id }) => business_connection_id !== '');
  if (ofBusiness.length > 0) await businessChatStore(db).takeNewest(ofBusiness);
  if (removed.length > 0) await chats.subtractCounts(removed);
  if (fold.memberships.size > 0) await blockedChatStore(db).take(takeMemberships(fold));
  if (fold.authors.size > 0) await chats.upsertAuthors(takeAuthors(fold));
  if (fold.topics.size > 0) await historyTopicStore(db).upsertTopics(takeTopics(fold));
  for (const migration of fold.migrations) await followGroup(db, migration);
  if (fold.audits.length > 0) await insertAudits(db, fold.audits);
  return fold.replaced + added.reduce((sum, { replaced }) => sum + replaced, 0);
}

/** Rows that are bound to the group followed it when the update came, unless Postgres was away. Its last people are known only now. */
async function followGroup(db: Database, { move, atS }: FoldedMigration): Promise<void> {
  const store = movedGroupStore(db);
  if (!(await store.isKnown(move))) await storeMove(db, move, atS);
  await store.movePeople(move);
}

async function deleteMessages(store: ReturnType<typeof historyMessageStore>, fold: HistoryFold): Promise<ChatCount[]> {
  const placed = fold.deletions.filter((deletion) => deletion.chat_id !== null);
  const unplaced = fold.deletions.filter((deletion) => deletion.chat_id === null);
  const found = unplaced.length === 0 ? [] : await store.findBusinessChats(unplaced);
  return placed.length + found.length === 0 ? [] : store.markDeleted([...placed, ...found]);
}

function countedChats(fold: HistoryFold, written: WrittenToChat[]): { known: CountedChat[]; guessed: CountedChat[] } {
  const byChat = Map.groupBy(written, (chat) => chatKey(chat.bot_id, chat.chat_id));
  const counted = (chat: FoldedChat): CountedChat => {
    const key = chatKey(chat.bot_id, chat.id);
    const conversations = byChat.get(key) ?? [];
    return {
      ...chat,
      direct: chat.direct || (fold.guessedChats.get(key)?.direct ?? chat.direct),
      added: conversations.reduce((sum, { count }) => sum + count, 0),
      last_id: Math.max(0, ...conversations.map(({ last_id }) => last_id)),
      newest: conversations.find(({ business_connection_id }) => business_connection_id === '') ?? null,
    };
  };
  const known = [...fold.chats.values()].map(counted);
  const guessed = [...fold.guessedChats].filter(([key]) => !fold.chats.has(key)).map(([, chat]) => counted(chat));
  const byKey = (a: CountedChat, b: CountedChat) => a.bot_id - b.bot_id || a.id - b.id;
  return { known: known.sort(byKey), guessed: guessed.sort(byKey) };
}

/** In the order of their keys. The fold forgets them, since they are many and their statement takes long. */
function takeMessages({ messages }: HistoryFold): FoldedMessage[] {
  const taken = [...messages.values()].sort((a, b) => a.bot_id - b.bot_id || a.chat_id - b.chat_id || a.id - b.id);
  messages.clear();
  return taken;
}

function takeMemberships({ memberships }: HistoryFold): Membership[] {
  return [...memberships.values()].sort((a, b) => a.bot_id - b.bot_id || a.chat_id - b.chat_id);
}

function takeAuthors({ authors }: HistoryFold): FoldedAuthor[] {
  const taken = [...authors.values()].sort((a, b) => a.bot_id - b.bot_id || a.chat_id - b.chat_id || a.id - b.id);
  authors.clear();
  return taken;
}

function takeTopics({ topics }: HistoryFold): FoldedTopic[] {
  const taken = [...topics.values()].sort(
    (a, b) => a.bot_id - b.bot_id || a.chat_id - b.chat_id || a.threadId - b.threadId,
  );
  topics.clear();
  return taken;
}
