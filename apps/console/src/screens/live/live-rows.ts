import type { PastUpdateResource } from '@flotilla/contract/updates.ts';
import type { LiveEvent } from '../../live.ts';
import type { LiveFilter, RowKind } from './live-filter.ts';

/** One line of the live list. The JSON stays text, which needs the least memory. */
export type LiveRow = {
  key: number;
  at: string;
  kind: RowKind | 'gap';
  bot_id: number | null;
  chat_id: number | null;
  /** The kind of the update, the method of the call, or the status of the attempt. */
  what: string;
  text: string;
  json: string;
  /** Of an update of before: its id. The JSON is what is known of it, and not the update itself. */
  pastId?: number;
};

const MOST_ROWS = 1_000;
/** Characters of JSON in all rows. */
const MOST_JSON = 4_000_000;

/** The newest events, the newest first, bounded in number and in size. */
export class LiveRows {
  #rows: LiveRow[] = [];
  #made = 0;
  #earlier = 0;
  #skipped = 0;

  add(event: LiveEvent): void {
    if (event.name === 'skipped') {
      this.#skipped += event.data.count;
      return;
    }
    const row = rowOf(event, this.#made + 1);
    if (row === null) return;
    this.#made += 1;
    this.#rows.push(row);
  }

  /** The events before the list was opened; the newest last. */
  addEarlier(rows: readonly Omit<LiveRow, 'key'>[]): void {
    // Keys of rows that come are positive, and tell what is new.
    const earlier = rows.map((row, at) => ({ ...row, key: -(this.#earlier + at + 1) }));
    this.#earlier += rows.length;
    this.#rows = [...earlier, ...this.#rows].toSorted((one, other) => one.at.localeCompare(other.at));
  }

  /** How many events the server left out, because they were too much to send. */
  get skipped(): number {
    return this.#skipped;
  }

  /** How many rows there were, with those that are no longer kept. */
  get made(): number {
    return this.#made;
  }

  newest(): LiveRow[] {
    let [from, size] = [this.#rows.length, 0];
    while (from > 0 && this.#rows.length - from < MOST_ROWS) {
      size += this.#rows[from - 1]!.json.length;
      if (size > MOST_JSON) break;
      from -= 1;
    }
    this.#rows = this.#rows.slice(from);
    return this.#rows.toReversed();
  }
}

export function matches(row: LiveRow, { kind, chat, q }: LiveFilter): boolean {
  // Whatever is missing may have matched.
  if (row.kind === 'gap') return true;
  if (kind !== undefined && row.kind !== kind) return false;
  if (chat !== undefined && String(row.chat_id) !== chat) return false;
  const wanted = q?.trim().toLowerCase();
  return wanted === undefined || `${row.what} ${row.json}`.toLowerCase().includes(wanted);
}

function rowOf(event: LiveEvent, key: number): LiveRow | null {
  const at = new Date().toISOString();
  switch (event.name) {
    case 'update': {
      const { bot_id, chat_id = null, kind, update } = event.data;
      return {
        key,
        at,
        kind: 'update',
        bot_id,
        chat_id,
        what: kind,
        text: textOf(update[kind]),
        json: textOfJson(update),
      };
    }
    case 'call': {
      const { bot_id, chat_id = null, method, result } = event.data;
      return { key, at, kind: 'call', bot_id, chat_id, what: method, text: textOf(result), json: textOfJson(result) };
    }
    case 'attempt':
      return { key, at, ...contentOfAttempt(event.data.bot_id, event.data) };
    case 'gap':
      return { key, at, kind: 'gap', bot_id: null, chat_id: null, what: '', text: '', json: textOfJson(event.data) };
    default:
      return null;
  }
}

type Attempt = { update_id: number; status: number; chat_id?: number | undefined; error?: string | undefined };

/** An attempt as a row, whether it came by the stream or was there before. */
export function contentOfAttempt(bot_id: number, attempt: Attempt): Omit<LiveRow, 'key' | 'at'> & { kind: 'attempt' } {
  const { update_id: id, status, chat_id = null, error = '' } = attempt;
  const text = error === '' ? `${id}` : `${id}: ${error}`;
  return { kind: 'attempt', bot_id, chat_id, what: String(status), text, json: textOfJson(attempt) };
}

/** An update of before, of which the journal and the history know this. */
export function contentOfPastUpdate(
  bot_id: number,
  update: PastUpdateResource,
): Omit<LiveRow, 'key' | 'at'> & { kind: 'update' } {
  const { kind: what, chat_id = null, message } = update;
  return {
    kind: 'update',
    bot_id,
    chat_id,
    what,
    text: message?.text ?? '',
    json: textOfJson(update),
    pastId: update.update_id,
  };
}

function textOfJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** The text that a person wrote or pressed, if the object has one. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? '' : String(value);
  const { text, caption, data, query } = value as Record<string, unknown>;
  return [text, caption, data, query].find((one) => typeof one === 'string') ?? '';
}
