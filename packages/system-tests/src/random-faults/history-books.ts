import type { Fault } from './faults.ts';
import type { Installation, Life } from './installation.ts';
import type { Bot, Call, Written } from './traffic.ts';

/** The content of the history at one moment. */
export type History = {
  /** Chat and text of each received message. */
  received: Set<string>;
  /** Bot, chat and message id of each sent message. */
  sent: Set<string>;
  /** How often each message was pinned, by bot, chat and message id. */
  pins: Map<string, number>;
};

/** A bot's message that the platform shows in a chat. */
export type Sent = { bot: Bot; chat: number; id: number; text: string; atMs: number };

/** How long the proxy waits for the platform's answer after its client has left. */
const WAITED_FOR_ANSWER_MS = 60_000;
/** The platform's dates have whole seconds. */
const SECOND_MS = 1000;

const messageKey = (bot: Bot, chat: number, id: number) => `${bot.id} ${chat} ${id}`;
const textKey = (bot: Bot, chat: number, text: string) => `${bot.id} ${chat} ${text}`;
const textOf = (call: Call) => ('text' in call.what ? call.what.text : '');

export function readHistory({ withDatabase }: Installation): Promise<History> {
  return withDatabase(async (db) => {
    const messages = await db.selectFrom('messages').select(['bot_id', 'chat_id', 'id', 'text', 'outgoing']).execute();
    const pinned = await db
      .selectFrom('audit_log')
      .select(['bot_id', 'chat_id', 'target_id'])
      .where('action', '=', 'pin')
      .execute();
    const pins = new Map<string, number>();
    for (const { bot_id, chat_id, target_id } of pinned) {
      const key = `${bot_id} ${chat_id} ${target_id}`;
      pins.set(key, (pins.get(key) ?? 0) + 1);
    }
    return {
      received: new Set(messages.flatMap((row) => (row.outgoing ? [] : [`${row.chat_id} ${row.text?.split(' ')[0]}`]))),
      sent: new Set(messages.flatMap((row) => (row.outgoing ? [`${row.bot_id} ${row.chat_id} ${row.id}`] : []))),
      pins,
    };
  });
}

/** Messages that people wrote and the platform accepted, but that the history lacks. */
export function lacksReceived(history: History, written: Written[]): string[] {
  return written.flatMap(({ chat, taken }) =>
    taken.flatMap((number) => (history.received.has(`${chat} u${number}`) ? [] : [`u${number} of chat ${chat}`])),
  );
}

export type Promises = {
  faults: Fault[];
  storedUpToMs(life: Life): number;
};

/**
 * Compares sent messages with the history. Excused are those that a killed process had not stored yet, and those for
 * which the platform's answer may be lost.
 */
export function lacksSent(history: History, shown: Sent[], calls: Call[], promises: Promises): SentBooks {
  const byText = new Map(calls.flatMap((call) => ('text' in call.what ? [[keyOf(call), call] as const] : [])));
  const lacking = shown.filter(({ bot, chat, id }) => !history.sent.has(messageKey(bot, chat, id)));
  const excused = lacking.filter(({ bot, chat, text }) => {
    const call = byText.get(textKey(bot, chat, text));
    return call !== undefined && mayBeLacking(call, promises);
  });
  const known = new Set(shown.map(({ bot, chat, id }) => messageKey(bot, chat, id)));
  const faults = lacking
    .filter((one) => !excused.includes(one))
    .map(({ text, chat }) => `sent, not kept: ${text} in ${chat}`);
  const shownTexts = new Set(shown.map(({ bot, chat, text }) => textKey(bot, chat, text)));
  for (const call of byText.values()) {
    const isShown = shownTexts.has(keyOf(call));
    if (call.outcome === 'made' && !isShown) faults.push(`answered, not at the platform: ${textOf(call)}`);
    if (call.outcome === 'refused' && isShown) faults.push(`refused, yet at the platform: ${textOf(call)}`);
  }
  const mine = new Set(shown.map(({ bot, chat }) => `${bot.id} ${chat} `));
  for (const key of history.sent) {
    const isMine = [...mine].some((prefix) => key.startsWith(prefix));
    if (isMine && !known.has(key)) faults.push(`kept, never sent: ${key}`);
  }
  return { faults, excused: excused.length };
}

/** `excused`: the documentation allows these to be missing. */
export type SentBooks = { faults: string[]; excused: number };

/** A successful pin must be in the audit log once, unless it is excused; any other pin at most once. */
export function lacksPins(history: History, calls: Call[], promises: Promises): SentBooks {
  let excused = 0;
  const faults: string[] = [];
  for (const call of calls) {
    if (!('pins' in call.what)) continue;
    const count = history.pins.get(messageKey(call.bot, call.chat, call.what.pins)) ?? 0;
    const due = call.outcome === 'made' && !mayBeLacking(call, promises);
    if (count > 1 || (due && count === 0) || (call.outcome === 'refused' && count > 0)) {
      faults.push(`the pin of ${call.what.pins} in ${call.chat} (${call.outcome}) is ${count} times in the audit log`);
    }
    if (call.outcome === 'made' && count === 0 && !due) excused += 1;
  }
  return { faults, excused };
}

/** Messages sent by rules that the history lacks. */
export function lacksRouted(history: History, shown: Sent[], lives: Life[], promises: Promises): SentBooks {
  const lacking = shown.filter(({ bot, chat, id }) => !history.sent.has(messageKey(bot, chat, id)));
  const faults = lacking.filter(({ atMs }) => {
    const from = atMs - SECOND_MS;
    const to = atMs + 2 * SECOND_MS;
    return !answerMayBeLost(promises.faults, from, to) && !lives.some((life) => diedWith(life, from, to, promises));
  });
  return {
    faults: faults.map(({ text, chat }) => `routed, not kept: ${text} in ${chat}`),
    excused: lacking.length - faults.length,
  };
}

function keyOf(call: Call): string {
  return textKey(call.bot, call.chat, textOf(call));
}

function mayBeLacking(call: Call, promises: Promises): boolean {
  const { life, outcome, begunAtMs, endedAtMs } = call;
  if (life === null) return true;
  const untilMs = outcome === 'made' ? endedAtMs : endedAtMs + WAITED_FOR_ANSWER_MS;
  if (diedWith(life, begunAtMs, untilMs, promises)) return true;
  return outcome !== 'made' && answerMayBeLost(promises.faults, begunAtMs, untilMs);
}

/** True if a process was killed while it may have held answers from that time span. */
function diedWith(life: Life, fromMs: number, toMs: number, { storedUpToMs }: Promises): boolean {
  return life.killedAtMs !== null && life.killedAtMs >= fromMs && storedUpToMs(life) < toMs;
}

/** True if a fault affected the platform, or the way to it, in that time span. */
function answerMayBeLost(faults: Fault[], fromMs: number, toMs: number): boolean {
  return faults.some((fault) => fault.to === 'platform' && fault.fromMs <= toMs && fault.toMs >= fromMs);
}
