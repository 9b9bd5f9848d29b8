import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import type { AuditedAction } from '../../people/audit/audited-action.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { chatStore } from '../chats/chat-store.ts';
import type { Conversation } from '../chats/conversation.ts';
import { deskStore } from '../desk/desk-store.ts';
import { lockBots } from '../history/lock-bots.ts';
import { type Note, noteStore } from './note-store.ts';

type NoteDeps = { db: Database; clock: Clock };

const NOTES_AT_MOST = 1_000;

/** The account that writes. */
type Author = { id: number; username: string };

/**
 * A note about a group that became a supergroup is about the supergroup. Throws 'not_found' (the chat), 'bad_request' (an account
 * that is mentioned), or 'conflict' if the chat has too many.
 */
export async function addNote(
  { db, clock }: NoteDeps,
  by: Actor,
  named: Conversation,
  { author, text, mentions }: { author: Author; text: string; mentions: number[] },
): Promise<Note> {
  return db.transaction().execute(async (transaction) => {
    // With both locks, a bot or chat that is being deleted keeps no note.
    await lockBots(transaction, [named.bot_id]);
    const chat = { ...named, chat_id: await chatStore(transaction).currentOf(named.bot_id, named.chat_id) };
    if ((await deskStore(transaction).lock(chat)) === null) throw new FlotillaError('not_found', 'Chat not found');
    const mentioned = [...new Set(mentions)];
    await requireAssignees(transaction, chat.bot_id, mentioned);
    if ((await noteStore(transaction).countOf(chat)) >= NOTES_AT_MOST) {
      throw new FlotillaError('conflict', 'The chat has 1,000 notes; delete some of them first');
    }
    const note = await noteStore(transaction).insert({
      ...{ ...chat, account_id: author.id, account: author.username },
      ...{ text, mentions: mentioned, unread_by: mentioned.filter((id) => id !== author.id) },
    });
    await recordAction({ db: transaction, clock }, by, audited('note_add', note));
    return note;
  });
}

/** Undefined fields keep their value. `check` refuses what the change would meet. Throws 'not_found', or 'bad_request' (an account that is mentioned). */
export async function updateNote(
  { db, clock }: NoteDeps,
  by: Actor,
  id: number,
  { text, mentions }: { text?: string | undefined; mentions?: number[] | undefined },
  check?: (before: Note) => void,
): Promise<Note> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockNote(transaction, id);
    check?.(before);
    const mentioned = [...new Set(mentions ?? before.mentions)];
    const added = mentioned.filter((one) => !before.mentions.includes(one));
    await requireAssignees(transaction, before.bot_id, added);
    const note = await noteStore(transaction).update(id, {
      ...{ text: text ?? before.text, mentions: mentioned },
      unread_by: [...before.unread_by.filter((one) => mentioned.includes(one)), ...added].filter(
        (one) => one !== before.account_id,
      ),
      edited_at: new Date(clock.nowMs()),
    });
    await recordAction({ db: transaction, clock }, by, audited('note_update', note));
    return note;
  });
}

/** Returns what it was. Throws 'not_found'. */
export async function deleteNote(
  { db, clock }: NoteDeps,
  by: Actor,
  id: number,
  check?: (before: Note) => void,
): Promise<Note> {
  return db.transaction().execute(async (transaction) => {
    const note = await lockNote(transaction, id);
    check?.(note);
    await noteStore(transaction).remove(id);
    await recordAction({ db: transaction, clock }, by, audited('note_delete', note));
    return note;
  });
}

async function lockNote(db: Database, id: number): Promise<Note> {
  const note = await noteStore(db).lock(id);
  if (note === null) throw new FlotillaError('not_found', 'Note not found');
  return note;
}

async function requireAssignees(db: Database, botId: number, accountIds: number[]): Promise<void> {
  if (accountIds.length === 0) return;
  const known = new Set((await deskStore(db).assignees(botId)).map(({ id }) => id));
  if (!accountIds.every((id) => known.has(id))) throw refusedInput('mentions', 'must be accounts that have the bot');
}

/** Without the text: the log outlives the note. */
function audited(action: 'note_add' | 'note_update' | 'note_delete', note: Note): AuditedAction {
  const { bot_id, chat_id, business_connection_id } = note;
  return { action, bot_id, chat_id, business_connection_id, details: `note ${note.id}` };
}
