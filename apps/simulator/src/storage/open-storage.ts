import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Simulator } from '../simulator.ts';
import { READERS, resumeWebhook } from './read-rows.ts';
import { type Kept, KINDS, type Kind } from './rows.ts';
import { sqliteStorage } from './sqlite-storage.ts';

const FILE = 'simulator.sqlite';
const VERSION = 1;

/** Restores a new simulator from a file in `dir`, and stores every later change there. */
export function openStorage(sim: Simulator, dir: string, onError: (error: unknown) => void): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, FILE);
  const db = openDatabase(file);
  try {
    const bots = load(sim, db);
    sim.storage = sqliteStorage(sim, db, onError);
    for (const bot of bots) resumeWebhook(sim, bot);
  } catch (error) {
    db.close();
    throw unusable(file, 'is damaged: restore it, or remove it to begin anew', error);
  }
}

function openDatabase(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  try {
    // Exclusive locking keeps two simulators off one file; full sync keeps ids used across a power cut.
    db.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full');
    const { user_version: version } = db.prepare('pragma user_version').get() as { user_version: number };
    if (version > VERSION) throw new Error(`it was written by a newer version`);
    db.exec(`
      create table if not exists kept (kind text not null, id text not null, json text not null, bytes blob,
        unique (kind, id));
      pragma user_version = ${VERSION}`);
    return db;
  } catch (error) {
    db.close();
    const { errstr = '', message } = error as { errstr?: string; message: string };
    const inUse = errstr === 'database is locked';
    throw unusable(file, inUse ? 'is in use by another simulator' : `cannot be used: ${message}`, error);
  }
}

/** Restores everything and returns the stored bots. */
function load(sim: Simulator, db: DatabaseSync): Kept['bot'][] {
  const select = db.prepare('select id, json, bytes from kept where kind = ? order by rowid');
  const bots: Kept['bot'][] = [];
  const read = <Name extends Kind>(kind: Name) => {
    for (const { id, json, bytes } of select.iterate(kind) as Iterable<{
      id: string;
      json: string;
      bytes: Uint8Array;
    }>) {
      const kept = JSON.parse(json) as Kept[Name];
      READERS[kind](sim, kept, id, Buffer.from(bytes ?? []));
      if (kind === 'bot') bots.push(kept as Kept['bot']);
    }
  };
  for (const kind of KINDS) read(kind);
  return bots;
}

function unusable(file: string, why: string, cause: unknown): FlotillaError {
  return new FlotillaError('unavailable', `${file} ${why}.`, { cause });
}
