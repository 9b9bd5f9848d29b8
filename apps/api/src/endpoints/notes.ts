import { OK } from '@flotilla/contract/fields.ts';
import { type NoteResource, note, type noteOperations } from '@flotilla/contract/notes.ts';
import { answerOf, settable } from '@flotilla/contract/resource.ts';
import { untilAborted } from '@flotilla/database/until-aborted.ts';
import { type Caller, requireAdmin } from '@flotilla/domain/people/accounts/caller.ts';
import { connectionParam } from '@flotilla/domain/records/chats/conversation.ts';
import { announceDesk, type DeskNews } from '@flotilla/domain/records/desk/desk-news.ts';
import { addNote, deleteNote, updateNote } from '@flotilla/domain/records/notes/change-notes.ts';
import { type Note, noteStore } from '@flotilla/domain/records/notes/note-store.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot, requireManagedBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { whileWanted } from '../operations/search-limit.ts';
import { accountOf } from './account-of.ts';
import { conversationOf } from './conversation-of.ts';

export const noteHandlers: Handlers<typeof noteOperations> = {
  async listNotes(context, { input, caller, response }) {
    const { limit, offset, before, q = '', unread, ...filters } = input;
    if (filters.bot_id !== undefined) requireBot(context, filters.bot_id);
    const [beforeId = null] = decodeCursor(before, ['id']) ?? [];
    const query = { ...filters, q, unreadBy: unread ? caller.account.id : undefined };
    const page = { limit: limit + 1, offset, beforeId };
    const [rows, total] = await whileWanted(context, caller, response, NO_NOTES, (signal) =>
      untilAborted(context.db, signal, async (db) => {
        const store = noteStore(db);
        return [await store.list(caller.scope, query, page), await store.count(caller.scope, query)] as const;
      }),
    );
    return cutPage(rows.map(presentNote), limit, total, ({ id }) => [id]);
  },

  showNote: {
    findBots: findBotOfNote,
    async handle(context, { input, response }) {
      const found = await noteStore(context.db).find(input.id);
      if (found === null) throw new FlotillaError('not_found', 'Note not found');
      tagAnswer(context, { response }, versionOf(found));
      return presentNote(found);
    },
  },

  async addNote(context, { input, caller, by, response }) {
    const chat = await conversationOf(context, requireManagedBot(context, input.bot_id), input);
    const { text, mentions } = input;
    const added = await addNote(context, by, chat, { author: caller.account, text, mentions });
    await announceDesk(context, newsOf(caller, added, 'added'));
    tagAnswer(context, { response }, versionOf(added));
    return presentNote(added);
  },

  updateNote: {
    findBots: findBotOfNote,
    async handle(context, { input: { id, ...changes }, caller, by, request, response }) {
      await requireOwn(context, caller, id);
      const changed = await updateNote(context, by, id, changes, matchOf(context, { request }, versionOf));
      await announceDesk(context, newsOf(caller, changed, 'updated'));
      tagAnswer(context, { response }, versionOf(changed));
      return presentNote(changed);
    },
  },

  deleteNote: {
    findBots: findBotOfNote,
    async handle(context, { input, caller, by, request }) {
      await requireOwn(context, caller, input.id);
      const deleted = await deleteNote(context, by, input.id, matchOf(context, { request }, versionOf));
      await announceDesk(context, newsOf(caller, deleted, 'deleted'));
      return OK;
    },
  },

  async markNotesRead(context, { input, caller }) {
    const chat = await conversationOf(context, requireBot(context, input.bot_id), input);
    await noteStore(context.db).markRead(chat, caller.account.id);
    return OK;
  },
};

const NO_NOTES: readonly [Note[], number] = [[], 0];

function versionOf(of: Note): Version {
  return { kind: 'note', id: of.id, fields: settable(note, of) };
}

async function findBotOfNote({ db }: Context, id: number): Promise<number[]> {
  const found = await noteStore(db).find(id);
  return found === null ? [] : [found.bot_id];
}

async function requireOwn({ db }: Context, caller: Caller, id: number): Promise<void> {
  const found = await noteStore(db).find(id);
  if (found === null) throw new FlotillaError('not_found', 'Note not found');
  if (found.account_id !== caller.account.id) requireAdmin(caller);
}

function newsOf(caller: Caller, of: Note, change: 'added' | 'updated' | 'deleted'): DeskNews {
  const { id: note_id, bot_id, chat_id, business_connection_id, mentions } = of;
  const at = { bot_id, chat_id, ...connectionParam(business_connection_id) };
  return { kind: 'note', note_id, change, mentions, ...at, ...accountOf(caller) };
}

export function presentNote({ business_connection_id: of, ...row }: Note): NoteResource {
  return answerOf(note, { ...row, business_connection_id: of || undefined });
}
