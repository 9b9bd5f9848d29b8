import { setTimeout as delay } from 'node:timers/promises';
import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import { ADMIN_KEY, type Fleet, type FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { seededRandom } from '@flotilla/testing/random.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

/** The load: how many entries for each of so many chats of so many bots. */
export type Load = { bots: number; chats: number; ofEach: number; seed: number };
type Place = { bot: FleetBot; person: number };
type Wanted = Place & { text: string; priority: string; sendAtS: number | null };
/** An entry as it ended, with the messages in its chat that have its text: their ids and dates (Unix seconds). */
export type Line = { entry: OutboxEntryResource; messages: { id: number; dateS: number }[] };

const PRIORITIES = ['critical', 'normal', 'normal', 'bulk'] as const;
const ADDED_AT_ONCE = 8;
const SETTLED = ['sent', 'failed', 'in_doubt', 'cancelled', 'expired'];
const PAGE = 200;

/** Makes bots with chats, hands entries over while faults happen, and reads how all of them ended. */
export async function runLedger(fleet: Fleet, load: Load, makeFaults: (bots: FleetBot[]) => Promise<void>) {
  const bots = await Promise.all(Array.from({ length: load.bots }, () => fleet.addBot()));
  const places = (await Promise.all(bots.map((bot) => chatsOf(fleet, bot, load.chats)))).flat();
  const entries = wantedEntries(places, load);
  const [added] = await Promise.all([addAll(fleet, entries), makeFaults(bots)]);
  await waitFor(async () => (await unsettled(fleet)) === 0, {
    timeoutMs: 180_000,
    message: 'every entry having ended',
  });
  return linesOf(fleet, places, added);
}

async function chatsOf(fleet: Fleet, bot: FleetBot, count: number): Promise<Place[]> {
  const places: Place[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id: person } = await fleet.control.createPerson({});
    await fleet.control.startBot({ person, bot: bot.platformId, quietly: true });
    places.push({ bot, person });
  }
  return places;
}

/** In an order that goes over all chats; some have a time, and an entry in ten of one chat goes first or last. */
function wantedEntries(places: Place[], { ofEach, seed }: Load): Wanted[] {
  const random = seededRandom(seed);
  const beginS = Math.ceil(Date.now() / 1000);
  return Array.from({ length: ofEach }, (_, at) => at).flatMap((at) =>
    places.map(({ bot, person }) => ({
      ...{ bot, person, text: `${bot.id}:${person}:${at}`, priority: random.oneOf(PRIORITIES) },
      sendAtS: random.between(0, 1) < 0.1 ? beginS + Math.floor(random.between(5, 30)) : null,
    })),
  );
}

/** Like a careful program: with a key for each, again until there is an answer. */
async function addAll(fleet: Fleet, entries: Wanted[]): Promise<number[]> {
  const ids: number[] = [];
  const waiting = [...entries];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) ids.push(await addOne(fleet, next));
  };
  await Promise.all(Array.from({ length: ADDED_AT_ONCE }, work));
  return ids;
}

async function addOne(fleet: Fleet, { bot, person, text, priority, sendAtS }: Wanted): Promise<number> {
  const body = JSON.stringify({
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: person, text }, priority, idempotency_key: text },
    ...(sendAtS === null ? {} : { send_at: sendAtS }),
  });
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
  while (true) {
    const answer = await fetch(`${fleet.url}/api/outbox/add`, { method: 'POST', headers, body }).catch(() => null);
    const answered = (await answer?.json().catch(() => null)) as { id?: number; code?: string } | null | undefined;
    if (answer?.status === 200 && answered?.id !== undefined) return answered.id;
    const mayRepeat = answer === null || answer === undefined || answer.status >= 500;
    if (!mayRepeat) throw new Error(`outbox/add answered ${answer.status}: ${JSON.stringify(answered)}`);
    await delay(200);
  }
}

async function unsettled(fleet: Fleet): Promise<number> {
  const counts = await Promise.all(
    ['scheduled', 'queued', 'sending'].map(async (state) => {
      const rows = await fleet.rest<unknown[]>(`/api/outbox?state=${state}&limit=1`);
      return rows.length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function linesOf(fleet: Fleet, places: Place[], added: number[]): Promise<Line[]> {
  const messages = new Map<string, Line['messages']>();
  for (const { bot, person } of places) {
    const chat = await fleet.control.readChat({ bot: bot.platformId, person });
    for (const { text, message_id: id, date } of chat.messages) {
      if (text === undefined) continue;
      messages.set(text, [...(messages.get(text) ?? []), { id, dateS: date }]);
    }
  }
  const entries: OutboxEntryResource[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await fleet.rest<OutboxEntryResource[]>(`/api/outbox?limit=${PAGE}&offset=${offset}`);
    entries.push(...page);
    if (page.length < PAGE) break;
  }
  const known = new Set(added);
  return entries
    .filter(({ id }) => known.has(id))
    .map((entry) => ({ entry, messages: messages.get(String(entry.params.text)) ?? [] }))
    .toSorted((one, other) => one.entry.id - other.entry.id);
}

/** The faults of an entry, in words. */
export function faultsOf(lines: readonly Line[]): string[] {
  return [...lines.flatMap(stateFaults), ...orderFaults(lines)];
}

/** The same of one entry, whatever its order. */
export function stateFaults({ entry, messages }: Line): string[] {
  const { id, state, send_at: sendAt, message_id: messageId } = entry;
  const faults: string[] = [];
  if (!SETTLED.includes(state)) faults.push(`entry ${id} is ${state}`);
  if (messages.length > 1) faults.push(`entry ${id} was sent ${messages.length} times`);
  const [message] = messages;
  if (state === 'sent' && message?.id !== messageId) faults.push(`entry ${id} is sent, and its message is not there`);
  if (['failed', 'cancelled', 'expired'].includes(state) && message !== undefined) {
    faults.push(`entry ${id} is ${state}, and was sent`);
  }
  if (sendAt !== undefined && message !== undefined && message.dateS < Date.parse(sendAt) / 1000) {
    faults.push(`entry ${id} was sent before its time`);
  }
  return faults;
}

/** Entries without a time of their own go in the order in which they were added, by chat and priority. */
function orderFaults(lines: readonly Line[]): string[] {
  const immediate = lines.filter(({ entry }) => entry.send_at === undefined);
  const lanes = Map.groupBy(immediate, ({ entry }) => `${entry.bot_id}:${entry.chat_id}:${entry.priority}`);
  return [...lanes.values()].flatMap((lane) => {
    const sent = lane.flatMap(({ entry, messages }) => messages.map(({ id }) => ({ entry: entry.id, id })));
    return sent.flatMap(({ entry, id }, at) =>
      at > 0 && id < sent[at - 1]!.id ? [`entry ${entry} was sent before entry ${sent[at - 1]!.entry}`] : [],
    );
  });
}

export function countStates(lines: readonly Line[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { entry } of lines) counts[entry.state] = (counts[entry.state] ?? 0) + 1;
  return counts;
}
