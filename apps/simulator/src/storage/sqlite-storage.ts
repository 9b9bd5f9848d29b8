import type { DatabaseSync } from 'node:sqlite';
import type { Simulator } from '../simulator.ts';
import {
  type Kept,
  type Kind,
  keptBot,
  keptChat,
  keptCounters,
  keptFile,
  keptMessage,
  keptPoll,
  keptUpdate,
} from './rows.ts';
import type { Storage } from './storage.ts';

/** A row to write, or to delete when `kept` is null. `kept` runs at the write, so several changes cost one write. */
type Change = { kind: Kind; id: string; kept: (() => Kept[Kind]) | null; bytes: Uint8Array | null };

/** Writes all changes in one transaction: before anything leaves the process, or after this turn of the event loop. */
export function sqliteStorage(sim: Simulator, db: DatabaseSync, onError: (error: unknown) => void): Storage {
  const upsert = db.prepare(`
    insert into kept (kind, id, json, bytes) values (?, ?, ?, ?)
    on conflict (kind, id) do update set json = excluded.json, bytes = excluded.bytes`);
  const remove = db.prepare('delete from kept where kind = ? and id = ?');
  let changes = new Map<string, Change>();
  let scheduled: NodeJS.Immediate | undefined;

  const commit = () => {
    if (changes.size === 0) return;
    db.exec('begin');
    try {
      for (const { kind, id, kept, bytes } of changes.values()) {
        if (kept === null) remove.run(kind, id);
        else upsert.run(kind, id, JSON.stringify(kept()), bytes);
      }
      db.exec('commit');
    } catch (error) {
      // The changes stay due, and the error keeps the caller from reporting success.
      db.exec('rollback');
      throw error;
    }
    changes = new Map();
  };
  const change = (kind: Kind, id: string, kept: Change['kept'], bytes: Uint8Array | null = null) => {
    changes.set(`${kind} ${id}`, { kind, id, kept, bytes });
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      try {
        commit();
      } catch (error) {
        onError(error);
      }
    });
  };

  const storage: Storage = {
    saveBot: (bot) => change('bot', String(bot.user.id), () => keptBot(bot)),
    savePerson: (person) => change('person', String(person.id), () => person),
    saveChat: (chat) => change('chat', chat.key, () => keptChat(chat)),
    saveMessage: (chat, message) =>
      change('message', `${chat.key}/${message.message_id}`, () => keptMessage(sim, chat, message)),
    removeMessage: (chat, messageId) => change('message', `${chat.key}/${messageId}`, null),
    saveUpdate: (bot, update) => {
      change('update', `${bot.user.id}/${update.number}`, () => keptUpdate(bot, update));
      storage.saveBot(bot);
    },
    removeUpdate: (bot, update) => change('update', `${bot.user.id}/${update.number}`, null),
    saveFile: (file) => change('file', file.fileId, () => keptFile(file), file.bytes),
    saveQuery: (id, query) => change('query', id, () => query),
    savePoll: (id, poll) => change('poll', id, () => keptPoll(poll)),
    saveInlineMessage: (id, message) => change('inlineMessage', id, () => message),
    saveCounters: () => change('counters', '', () => keptCounters(sim)),
    commit,
    close: () => {
      clearImmediate(scheduled);
      commit();
      db.close();
    },
  };
  return storage;
}
