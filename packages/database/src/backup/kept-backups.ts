import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { BackupStore } from './backup-folder.ts';

const DAY_MS = 86_400_000;
/** The name of a backup is its time, UTC, so that names sort by it. Other names are left alone. */
const NAME = /^(\d{4}-\d{2}-\d{2}T)(\d{2})(\d{2})(\d{2}Z)$/;

export interface KeptBackups {
  /** Older ones are removed; 0 keeps all. */
  days: number;
  /** So many of the newest stay, however old they are. */
  newest: number;
}

export function nameOfBackup(nowMs: number): string {
  return new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '');
}

/** The newest backup of a store. Throws FlotillaError('not_found') if it has none. */
export async function newestBackup(store: BackupStore): Promise<string> {
  const newest = (await store.list())
    .filter((name) => timeOf(name) !== null)
    .sort()
    .at(-1);
  if (newest === undefined) throw new FlotillaError('not_found', 'There is no backup that --into has made');
  return newest;
}

/** Removes backups that need not be kept, the oldest first, and returns their names. */
export async function removeOldBackups(store: BackupStore, kept: KeptBackups, nowMs: number): Promise<string[]> {
  if (kept.days === 0) return [];
  const names = (await store.list()).filter((name) => timeOf(name) !== null).sort();
  const removable = names.slice(0, Math.max(names.length - kept.newest, 0));
  const removed = removable.filter((name) => nowMs - (timeOf(name) ?? nowMs) > kept.days * DAY_MS);
  for (const name of removed) await store.remove(name);
  return removed;
}

function timeOf(name: string): number | null {
  return NAME.test(name) ? Date.parse(name.replace(NAME, '$1$2:$3:$4')) : null;
}
