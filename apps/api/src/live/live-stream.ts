import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { LiveEvent, LiveEvents } from '@flotilla/domain/watch/live/live-event.ts';
import { encodePosition, type LivePosition } from '@flotilla/domain/watch/live/live-position.ts';

/** A stream gets this many bytes a second on average, and may be this many ahead. */
const BYTES_PER_SECOND = 32_768;
const BURST_BYTES = 65_536;
/** The bytes that a client has not taken; beyond them events are skipped. */
const UNREAD_BYTES = 65_536;
const HEARTBEAT_MS = 15_000;
/** Around the data of an event: its name and its id. */
const BYTES_AROUND_EVENT = 120;
const ROOM_LOOK_MS = 50;
const HEARTBEAT_BYTES = 10;

/** The part of the stream that is of one bot. */
export type ShownOfBot = { all: boolean; attempts: boolean; chats: ReadonlySet<number> };

/** Writes the events of one client, and skips those that it has no room for. Nothing waits in memory beyond 64 KB. */
export class LiveStream {
  readonly #response: ServerResponse;
  readonly #position: LivePosition;
  readonly #nowMs: () => number;
  /** True if the client is told all changes of bots up to now. */
  #hasChanges = false;
  #allowance = BURST_BYTES;
  #allowedAtMs = performance.now();
  #wroteAtMs = performance.now();
  #skipped = 0;
  #gap = false;

  constructor(response: ServerResponse, options: { position: LivePosition; nowMs: () => number }) {
    this.#response = response;
    this.#position = options.position;
    this.#nowMs = options.nowMs;
  }

  /** Tells the position at once, so that a client that reconnects before its first event misses none. */
  begin(retryMs: number, { gap }: { gap: boolean }): void {
    this.#write(`retry: ${retryMs}\n${gap ? '' : this.#idLine()}\n`, BYTES_AROUND_EVENT);
    if (gap) this.gap(null, null);
  }

  /** From now on the position says that the client knows all changes of bots. */
  followsChanges(): void {
    this.#hasChanges = true;
  }

  /** Events of a bot as they happen, and the position after them. */
  newEvents(botId: number, shown: ShownOfBot, events: LiveEvents, position: string): void {
    for (const event of events) {
      this.#position.bots.set(botId, event.id);
      if (event.name === 'omitted') this.#skipped += 1;
      else if (isShown(event, shown)) this.event(event.name, event.data, event.bytes);
    }
    this.#position.bots.set(botId, position);
  }

  /** Events of a bot that were kept for this client: it gets them as fast as it reads. */
  async keptEvents(botId: number, shown: ShownOfBot, events: LiveEvents, signal: AbortSignal): Promise<void> {
    for (const event of events) {
      if (event.name !== 'omitted' && isShown(event, shown)) {
        await this.#room(signal);
        this.#position.bots.set(botId, event.id);
        // Its own pace is enough; charged to the allowance, what happens meanwhile would be skipped.
        this.#send(event.name, event.data, 0);
      } else {
        this.#position.bots.set(botId, event.id);
        if (event.name === 'omitted') this.#skipped += 1;
      }
    }
  }

  event(name: string, data: string, bytes: number): void {
    this.#flush();
    if (this.#owesNotice() || !this.#fits(bytes + BYTES_AROUND_EVENT)) this.#skipped += 1;
    else this.#send(name, data, bytes + BYTES_AROUND_EVENT);
  }

  /** Events may be missing, and nobody knows how many; those of the bot go on after this position. */
  gap(botId: number | null, position: string | null): void {
    if (botId !== null && position !== null) this.#position.bots.set(botId, position);
    this.#gap = true;
    this.#flush();
  }

  /** Once a second: tells what was skipped once there is room, and that the stream lives. */
  tick(): void {
    this.#flush();
    if (performance.now() - this.#wroteAtMs < HEARTBEAT_MS || !this.#hasRoom()) return;
    // A client that reconnected with this position would not hear of what it missed.
    this.#write(`:\n${this.#owesNotice() ? '' : this.#idLine()}\n`, HEARTBEAT_BYTES);
  }

  end(retryMs: number): void {
    if (!this.#response.destroyed) this.#response.end(`retry: ${retryMs}\n\n`);
  }

  /** `charged`: how many bytes count against the allowance. */
  #send(name: string, data: string, charged: number): void {
    this.#write(`event: ${name}\ndata: ${data}\n${this.#idLine()}\n`, charged);
  }

  /** While the client must be told of what it missed, it gets no event and no position after that. */
  #owesNotice(): boolean {
    return this.#gap || this.#skipped > 0;
  }

  #flush(): void {
    if (this.#gap && this.#hasRoom()) {
      this.#gap = false;
      this.#send('gap', '{}', BYTES_AROUND_EVENT);
    }
    if (this.#skipped === 0 || this.#gap || !this.#fits(BYTES_AROUND_EVENT)) return;
    const data = JSON.stringify({ count: this.#skipped });
    this.#skipped = 0;
    this.#send('skipped', data, BYTES_AROUND_EVENT);
  }

  /** Resolves when the client has taken most of what was written. */
  async #room(signal: AbortSignal): Promise<void> {
    for (; ; await delay(ROOM_LOOK_MS)) {
      signal.throwIfAborted();
      this.#flush();
      if (!this.#owesNotice() && this.#hasRoom()) return;
    }
  }

  #hasRoom(): boolean {
    return this.#response.writableLength <= UNREAD_BYTES / 2;
  }

  #fits(bytes: number): boolean {
    const nowMs = performance.now();
    const earned = ((nowMs - this.#allowedAtMs) * BYTES_PER_SECOND) / 1000;
    this.#allowance = Math.min(BURST_BYTES, this.#allowance + earned);
    this.#allowedAtMs = nowMs;
    return bytes <= this.#allowance && this.#response.writableLength + bytes <= UNREAD_BYTES;
  }

  #write(text: string, charged: number): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#allowance -= charged;
    this.#wroteAtMs = performance.now();
    this.#response.write(text);
  }

  #idLine(): string {
    if (this.#hasChanges) this.#position.changesToMs = this.#nowMs();
    return `id: ${encodePosition(this.#position)}\n`;
  }
}

function isShown({ name, chatId }: LiveEvent, shown: ShownOfBot): boolean {
  if (name === 'attempt') return shown.attempts;
  return shown.all || (chatId !== null && shown.chats.has(chatId));
}
