import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type NewEvent, recordEvent } from '../events/record-event.ts';
import { type Actor, adoptedBy, withActor } from './actor.ts';
import { auditStore, type StoredEntry } from './audit-store.ts';
import type { AuditedAction } from './audited-action.ts';

const DETAILS_LENGTH = 2_000;

/** The event by which people hear of the action; null: the log alone has it. */
function eventOf(
  by: Actor,
  { action, bot_id, chat_id, business_connection_id = '', details = '', named = details }: AuditedAction,
): NewEvent | null {
  const actor = nameOf(by);
  switch (action) {
    case 'bot_add':
      return {
        kind: 'bot.added',
        bot_id: bot_id ?? null,
        text: by.kind === 'parent' ? adoptedBy(by) : `Added by ${actor}`,
      };
    case 'bot_moved':
      return { kind: 'bot.moved', bot_id: bot_id ?? null, text: details };
    case 'chat_takeover': {
      const of = { bot_id: bot_id ?? null, chat_id: chat_id ?? null, business_connection_id };
      const text = `Chat ${chat_id} was taken over ${details}, by ${actor}`;
      return { kind: 'chat.held', ...of, text };
    }
    case 'key_add':
      return { kind: 'key.created', bot_id: null, text: `Created by ${actor}: ${named}` };
    default:
      return null;
  }
}

function nameOf(by: Actor): string {
  switch (by.kind) {
    case 'account':
      return by.username;
    case 'bot':
      return 'its own program';
    case 'parent':
      return `@${by.username}`;
    case 'nobody':
      return 'an operator';
  }
}

/**
 * Adds an entry to the audit log. If the change itself is in Postgres, pass its transaction, so that both are stored or
 * neither. Of two entries with the same key and the same second, only one is stored; the
 * other one is null.
 */
export async function recordAction(
  { db, clock }: { db: Database; clock: Clock },
  by: Actor,
  done: AuditedAction,
  key: string | null = null,
): Promise<StoredEntry | null> {
  const details = withActor(by, done.details ?? '');
  const cut = details.length > DETAILS_LENGTH ? `${details.slice(0, DETAILS_LENGTH)}…` : details;
  const dateS = Math.floor(clock.nowMs() / 1000);
  const entry = await auditStore(db).insert(by, { ...done, details: cut }, dateS, key);
  const event = eventOf(by, done);
  if (event !== null) await recordEvent(db, { ...event, by });
  return entry;
}
