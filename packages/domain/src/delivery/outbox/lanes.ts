import { PRIORITIES, type Priority } from '@flotilla/contract/outbox.ts';
import type { WaitingEntry } from './turn-store.ts';

/** The entries of one chat and priority that are known, in their order. One at a time is sent. */
export type Lane = {
  chat_id: number;
  priority: Priority;
  entries: WaitingEntry[];
  /** Its first entry is being sent. */
  busy: boolean;
  /** There may be more entries than these. */
  hasMore: boolean;
  /** On the clock of performance.now(). */
  restsUntilMs: number;
  /** It rests because of the pace of its chat: what is less urgent there must not take the next time. */
  awaitsPace: boolean;
};

export type Candidate = { lane: Lane; entry: WaitingEntry };

export type Look = { aboveChat: number; changes: number };

type Known = {
  /** By chat, in the order in which they take turns. */
  lanes: Map<number, Lane>;
  /** Where to look for further chats; null: at the first one. */
  aboveChat: number | null;
  /** Every chat with entries is known, as of the last look. */
  isComplete: boolean;
  /** Rises with everything that makes what a look finds old. */
  changes: number;
};

/** The first entries of some chats of each priority; which chats these are changes as their entries are sent. */
export type Lanes = {
  /** Where to look for more of a priority; null if enough is known. */
  wants(priority: Priority): Look | null;
  /** False: there may be entries that could be sent now and are not known. */
  isEnough(): boolean;
  /** Takes what a look found; `isLast`: there are no further chats. */
  add(priority: Priority, look: Look, found: readonly WaitingEntry[], isLast: boolean): void;
  /** There may be new entries. */
  lookAgain(): void;
  /** Which may be sent now, the most urgent first, one of a chat; none while a more urgent one of the chat is being sent. */
  candidates(most: number): Candidate[];
  /** The entry is gone from the front of its lane. */
  drop(lane: Lane): void;
  /** Has the lane read again, because it changed. */
  forget(lane: Lane): void;
  /** Has all lanes read again that send nothing at the moment. */
  forgetAll(): void;
  /** When the next lane that rests may go on, as of performance.now(); null: none rests. */
  nextMs(): number | null;
  isEmpty(): boolean;
};

/** More than a pace allows in the time of a look. */
const ENOUGH = 40;
/** If so many chats rest, the bot has to wait: to know more of them would only take memory, and time in every look. */
export const MOST_LANES = 2_000;
/** How much a look finds at most. */
export const LOOK = { chats: 80, ofEach: 20 };
const LOWEST_CHAT = -Number.MAX_SAFE_INTEGER;

export function lanesOfBot(): Lanes {
  const known = Object.fromEntries(
    PRIORITIES.map((priority) => [priority, { lanes: new Map(), aboveChat: null, isComplete: false, changes: 0 }]),
  ) as unknown as Record<Priority, Known>;
  const moreUrgent = Object.fromEntries(
    PRIORITIES.map((priority, at) => [priority, PRIORITIES.slice(0, at).map((one) => known[one].lanes)]),
  ) as unknown as Record<Priority, Known['lanes'][]>;
  const isBehind = ({ priority, chat_id }: Lane) =>
    moreUrgent[priority].some((lanes) => {
      const lane = lanes.get(chat_id);
      return lane !== undefined && (lane.busy || lane.awaitsPace);
    });
  const waits = (lane: Lane) => !lane.busy && lane.entries.length > 0 && !isBehind(lane);
  const ready = (lane: Lane, nowMs: number) => lane.restsUntilMs <= nowMs && waits(lane);
  const outdate = (of: Known) => {
    of.isComplete = false;
    of.changes += 1;
  };
  const all = () => PRIORITIES.flatMap((priority) => [...known[priority].lanes.values()]);

  const wants = (priority: Priority): Look | null => {
    const { lanes, aboveChat, isComplete, changes } = known[priority];
    if (isComplete || lanes.size >= MOST_LANES) return null;
    const nowMs = performance.now();
    let waiting = 0;
    for (const lane of lanes.values()) {
      if (ready(lane, nowMs)) waiting += 1;
      if (waiting >= ENOUGH) return null;
    }
    return { aboveChat: aboveChat ?? LOWEST_CHAT, changes };
  };

  return {
    add: (priority, { changes }, found, isLast) => {
      const of = known[priority];
      const nowMs = performance.now();
      for (const [chat_id, entries] of Map.groupBy(found, (entry) => entry.chat_id)) {
        const lane = of.lanes.get(chat_id);
        const restsUntilMs = nowMs + (entries[0]?.restsMs ?? 0);
        const hasMore = entries.length >= LOOK.ofEach;
        if (lane === undefined) {
          of.lanes.set(chat_id, { chat_id, priority, entries, busy: false, hasMore, restsUntilMs, awaitsPace: false });
        } else if (lane.busy) {
          const [sending] = lane.entries;
          const others = entries.filter(({ id }) => id !== sending?.id);
          Object.assign(lane, { hasMore, entries: sending === undefined ? others : [sending, ...others] });
        } else {
          Object.assign(lane, { hasMore, entries, restsUntilMs: Math.max(lane.restsUntilMs, restsUntilMs) });
        }
      }
      of.isComplete = isLast && of.aboveChat === null && changes === of.changes;
      of.aboveChat = isLast ? null : (found.at(-1)?.chat_id ?? null);
    },
    wants,
    isEnough: () => PRIORITIES.every((priority) => wants(priority) === null),
    lookAgain: () => {
      for (const priority of PRIORITIES) outdate(known[priority]);
    },
    candidates: (most) => {
      const nowMs = performance.now();
      const found = new Map<number, Candidate>();
      for (const lane of all()) {
        if (found.size === most) break;
        const [entry] = lane.entries;
        if (entry !== undefined && !found.has(lane.chat_id) && ready(lane, nowMs)) {
          found.set(lane.chat_id, { lane, entry });
        }
      }
      return [...found.values()];
    },
    drop: (lane) => {
      const { lanes } = known[lane.priority];
      lane.entries.shift();
      if (lanes.get(lane.chat_id) !== lane) return;
      // Behind the others, so that the chats take turns.
      lanes.delete(lane.chat_id);
      if (lane.entries.length > 0) lanes.set(lane.chat_id, lane);
      else if (lane.hasMore) outdate(known[lane.priority]);
    },
    forget: (lane) => {
      const of = known[lane.priority];
      if (of.lanes.get(lane.chat_id) === lane) of.lanes.delete(lane.chat_id);
      outdate(of);
    },
    forgetAll: () => {
      for (const of of Object.values(known)) {
        for (const [chatId, { busy }] of of.lanes) if (!busy) of.lanes.delete(chatId);
        outdate(of);
      }
    },
    nextMs: () => {
      let nextMs: number | null = null;
      for (const lane of all()) {
        if (waits(lane)) nextMs = Math.min(nextMs ?? lane.restsUntilMs, lane.restsUntilMs);
      }
      return nextMs;
    },
    isEmpty: () => PRIORITIES.every((priority) => known[priority].isComplete && known[priority].lanes.size === 0),
  };
}
