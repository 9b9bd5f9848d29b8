import type { MessageResource as Message } from '@flotilla/contract/messages.ts';

/** `told`: the live stream told it, and the history has not been seen to have it. */
export type WindowMessage = Message & { told?: true };

/** The part of a chat that is loaded: without gaps, the oldest message first. */
export type MessageWindow = {
  messages: readonly WindowMessage[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** Of the whole chat. */
  total: number;
};

/** One answer of the api, the newest message first. */
export type MessagePage = { rows: readonly Message[]; total: number; hasOlder: boolean; hasNewer: boolean };

/** A message that the window must show, and the edit of it. */
export type Awaited = { message_id: number; editS: number };

/** More are not kept: what is far from the screen is loaded again when somebody comes there. */
const MOST = 600;

/** Messages of a business chat may have one id, each of another connection. */
export function keyOf({ id, date, business_connection_id: connection = '' }: Message): string {
  return `${id}.${date}.${connection}`;
}

function compareMessages(a: Message, b: Message): number {
  const [ofA, ofB] = [a.business_connection_id ?? '', b.business_connection_id ?? ''];
  return a.date - b.date || placeOf(a) - placeOf(b) || a.id - b.id || (ofA < ofB ? -1 : Number(ofA > ofB));
}

/** The api sorts the messages of a second so. */
function placeOf({ id, position = id * 1_024 }: Message): number {
  return position;
}

export function windowOf({ rows, ...rest }: MessagePage): MessageWindow {
  return { messages: rows.toReversed(), ...rest };
}

/** The window with a page that was read later: it adds, replaces and removes messages, and never leaves a gap. */
export function withPage(known: MessageWindow, page: MessagePage): MessageWindow {
  const [first, last] = [known.messages[0], known.messages.at(-1)];
  const [oldest, newest] = [page.rows.at(-1), page.rows[0]];
  if (first === undefined || last === undefined) return windowOf(page);
  if (oldest === undefined || newest === undefined) return { ...known, total: page.total };
  // So many came at once that the page does not reach to what is loaded.
  if (compareMessages(oldest, last) > 0 && page.hasOlder) return { ...known, hasNewer: true, total: page.total };
  const inPage = new Set(page.rows.map(keyOf));
  const isBeside = (message: Message) => compareMessages(message, oldest) < 0 || compareMessages(message, newest) > 0;
  // The history may have stored a newer message, such as an answer by the api, before one that was told.
  const beside = known.messages.filter((message) => isBeside(message) || (message.told && !inPage.has(keyOf(message))));
  return {
    messages: [...beside, ...page.rows].toSorted(compareMessages),
    hasOlder: compareMessages(oldest, first) <= 0 ? page.hasOlder : known.hasOlder,
    hasNewer: compareMessages(newest, last) >= 0 ? page.hasNewer : known.hasNewer,
    total: page.total + beside.filter(({ told }) => told).length,
  };
}

/** The window with a message that was just sent or changed, if it belongs there. */
export function withMessage(known: MessageWindow, message: WindowMessage): MessageWindow {
  const at = known.messages.findIndex((one) => keyOf(one) === keyOf(message));
  if (at >= 0) return { ...known, messages: known.messages.with(at, message) };
  if (known.hasNewer) return known;
  return { ...known, messages: [...known.messages, message].toSorted(compareMessages), total: known.total + 1 };
}

/** The window with a message that the live stream told, unless the history was faster. */
export function withTold(known: MessageWindow, message: Message): MessageWindow {
  if (known.messages.some((one) => keyOf(one) === keyOf(message))) return known;
  return withMessage(known, { ...message, told: true });
}

/** The window without what is beyond its size at one end. */
export function cutAt(end: 'older' | 'newer', known: MessageWindow): MessageWindow {
  if (known.messages.length <= MOST) return known;
  return end === 'older'
    ? { ...known, messages: known.messages.slice(-MOST), hasOlder: true }
    : { ...known, messages: known.messages.slice(0, MOST), hasNewer: true };
}
