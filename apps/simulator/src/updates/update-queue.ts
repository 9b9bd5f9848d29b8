import { randomInt } from 'node:crypto';

/** One pending update; `text` is the whole element as getUpdates and webhooks show it. */
export type PendingUpdate = {
  id: number;
  text: string;
  /** UTF-8 bytes of the `"kind":{…}` part; the platform's limits count these. */
  bytes: number;
  lane: string;
  expiresAtMs: number;
  /** A sequence number that is never reused within the queue; update ids may repeat. */
  number: number;
  gone: boolean;
  /** A getUpdates has answered with it. */
  answered?: true;
};

/** A bot's queue: td:tddb/td/db/TQueue.cpp, plus `eraStart` for tests that make ids jump down. */
export type UpdateQueue = {
  entries: PendingUpdate[];
  /** Index of the first entry that may still be pending. */
  start: number;
  /** Index of the first entry after the latest jump down; from here on ids only rise. */
  eraStart: number;
  /** The last id + 1; 0 while the queue is unused. */
  tail: number;
  nextId: number;
  count: number;
  totalBytes: number;
  nextNumber: number;
  watcher: QueueWatcher;
};

/** Called for every update that enters or leaves the queue. */
export type QueueWatcher = { added(update: PendingUpdate): void; removed(update: PendingUpdate): void };

const MAX_PENDING = 100_000;
const MAX_QUEUE_BYTES = 128 * 1024 * 1024;
const MAX_UPDATE_BYTES = 512 * 1024;
const ANSWER_BYTES = 4 * 1024 * 1024;
const FAR_BEHIND = 100_000;

export function newQueue(firstId: number, watcher: QueueWatcher): UpdateQueue {
  const empty = { entries: [], start: 0, eraStart: 0, tail: 0, count: 0, totalBytes: 0 };
  return { ...empty, nextId: firstId, nextNumber: 0, watcher };
}

/** The first id of a queue, as on the platform. */
export function randomUpdateId(): number {
  return randomInt(2_000_001, 1_000_000_000);
}

/** Appends an update; returns null when the queue is full: like the platform, it drops the update silently. */
export function push(
  queue: UpdateQueue,
  update: { payload: string; lane: string; expiresAtMs: number; id?: number | undefined },
): PendingUpdate | null {
  const bytes = Buffer.byteLength(update.payload);
  if (queue.count >= MAX_PENDING || queue.totalBytes + bytes > MAX_QUEUE_BYTES || bytes > MAX_UPDATE_BYTES) return null;
  const id = update.id ?? queue.nextId;
  const entry: PendingUpdate = {
    id,
    text: `{"update_id":${id},\n${update.payload}}`,
    bytes,
    lane: update.lane,
    expiresAtMs: update.expiresAtMs,
    number: queue.nextNumber,
    gone: false,
  };
  append(queue, entry);
  queue.nextId = id + 1;
  queue.watcher.added(entry);
  return entry;
}

/** Appends an update that was pending before a restart; call it in the stored order. */
export function pushKept(queue: UpdateQueue, entry: PendingUpdate): void {
  const { tail } = queue;
  queue.tail = (queue.entries.at(-1)?.id ?? -1) + 1;
  append(queue, entry);
  queue.tail = tail;
}

function append(queue: UpdateQueue, entry: PendingUpdate): void {
  if (queue.tail !== 0 && entry.id < queue.tail) queue.eraStart = queue.entries.length;
  queue.entries.push(entry);
  queue.tail = entry.id + 1;
  queue.nextNumber = entry.number + 1;
  queue.count += 1;
  queue.totalBytes += entry.bytes;
}

/** Removes one update from any position. */
export function remove(queue: UpdateQueue, entry: PendingUpdate): void {
  if (entry.gone) return;
  drop(queue, entry);
  compact(queue);
}

function drop(queue: UpdateQueue, entry: PendingUpdate): void {
  entry.gone = true;
  queue.count -= 1;
  queue.totalBytes -= entry.bytes;
  queue.watcher.removed(entry);
}

export function clear(queue: UpdateQueue): void {
  for (let at = queue.start; at < queue.entries.length; at += 1) {
    if (!queue.entries[at]!.gone) drop(queue, queue.entries[at]!);
  }
  Object.assign(queue, { entries: [], start: 0, eraStart: 0, count: 0, totalBytes: 0 });
}

/** Gives what waits new ids, as another server does for a bot that comes to it; `isEmptied` drops it. */
export function renumber(queue: UpdateQueue, firstId: number, { isEmptied = false } = {}): void {
  const waiting = isEmptied ? [] : queue.entries.slice(queue.start).filter(({ gone }) => !gone);
  clear(queue);
  Object.assign(queue, { tail: 0, nextId: firstId });
  for (const { text, lane, expiresAtMs } of waiting) {
    push(queue, { payload: text.slice(text.indexOf('\n') + 1, -1), lane, expiresAtMs });
  }
}

/** Yields pending updates in order, and deletes expired ones on the way. */
export function* pending(queue: UpdateQueue, nowMs: number, from = queue.start): Generator<PendingUpdate> {
  const entries = queue.entries;
  for (let at = from; at < entries.length; at += 1) {
    const entry = entries[at]!;
    if (entry.gone) continue;
    if (entry.expiresAtMs > nowMs) yield entry;
    else if (entry.gone === false) drop(queue, entry);
  }
}

export function pendingCount(queue: UpdateQueue, nowMs: number): number {
  for (const _ of pending(queue, nowMs));
  compact(queue);
  return queue.count;
}

/** Resolves an offset for a later wake-up: a negative offset becomes the id to which it points (Client.cpp:16321). */
export function absoluteOffset(queue: UpdateQueue, offset: number, nowMs: number): number {
  if (offset >= 0) return offset;
  if (queue.tail === 0) return 0;
  const kept = [...pending(queue, nowMs)];
  return kept[Math.max(0, kept.length + offset)]?.id ?? queue.tail;
}

/** Acknowledges updates below `offset` and reads from there; offset must not be negative. */
export function read(queue: UpdateQueue, offset: number, limit: number, nowMs: number): string[] {
  const from = acknowledge(queue, offset, nowMs);
  const texts: string[] = [];
  let size = 0;
  for (const entry of pending(queue, nowMs, from)) {
    size += entry.bytes + 50;
    if (size >= ANSWER_BYTES && texts.length > 0) break;
    texts.push(entry.text);
    entry.answered = true;
    if (texts.length >= limit) break;
  }
  compact(queue);
  return texts;
}

/** Deletes everything below a valid positive offset; returns the index from which to read. */
function acknowledge(queue: UpdateQueue, offset: number, nowMs: number): number {
  compact(queue);
  if (offset <= 0 || queue.tail === 0 || offset > queue.tail + 10) return queue.start;
  const head = pending(queue, nowMs, Math.max(queue.start, queue.eraStart)).next().value?.id ?? queue.tail;
  if (offset < head - FAR_BEHIND || offset <= head) return queue.start;
  let at = queue.start;
  const lastBelow = lastIndexBelow(queue, offset);
  for (; at <= lastBelow; at += 1) {
    const entry = queue.entries[at]!;
    if (!entry.gone) drop(queue, entry);
  }
  compact(queue);
  return queue.start;
}

function lastIndexBelow(queue: UpdateQueue, offset: number): number {
  let low = Math.max(queue.start, queue.eraStart);
  let high = queue.entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (queue.entries[middle]!.id < offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function compact(queue: UpdateQueue): void {
  const { entries } = queue;
  while (queue.start < entries.length && entries[queue.start]!.gone) queue.start += 1;
  if (queue.start < 4096 || queue.start * 2 < entries.length) return;
  queue.entries = entries.slice(queue.start);
  queue.eraStart = Math.max(0, queue.eraStart - queue.start);
  queue.start = 0;
}
