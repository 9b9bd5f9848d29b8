import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { BackupStore, HeldBackup } from './backup-folder.ts';

const DAY_MS = 86_400_000;
/** Far longer than any backup takes without writing something. */
const UNFINISHED_FOR_MS = 2 * DAY_MS;
const PARTIAL = /\.\d+\.partial$/;
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
  const newest = completeOf(await store.list()).at(-1);
  if (newest === undefined) throw new FlotillaError('not_found', 'There is no backup that --into has made');
  return newest;
}

/** Removes backups that need not be kept, the oldest first, and returns their names. */
export async function removeOldBackups(store: BackupStore, kept: KeptBackups, nowMs: number): Promise<string[]> {
  return removeAll(store, oldOf(completeOf(await store.list()), kept, nowMs));
}

/** Removes what interrupted backups left, once nothing was written to it for two days, and returns its names. */
export async function removeUnfinishedBackups(store: BackupStore, nowMs: number): Promise<string[]> {
  return removeAll(store, leftOf(await store.list(), nowMs));
}

async function removeAll(store: BackupStore, names: string[]): Promise<string[]> {
  for (const name of names) await store.remove(name);
  return names;
}

/** The complete backups that `--into` has made, the oldest first. */
function completeOf(held: HeldBackup[]): string[] {
  const complete = held.filter(({ name, unfinishedAtMs }) => unfinishedAtMs === null && timeOf(name) !== null);
  return complete.map(({ name }) => name).sort();
}

function leftOf(held: HeldBackup[], nowMs: number): string[] {
  const left = held.filter(({ name, unfinishedAtMs }) => {
    const begunAtMs = timeOf(name.replace(PARTIAL, ''));
    if (unfinishedAtMs === null || begunAtMs === null) return false;
    return nowMs - Math.max(unfinishedAtMs, begunAtMs) > UNFINISHED_FOR_MS;
  });
  return left.map(({ name }) => name);
}

function oldOf(complete: string[], { days, newest }: KeptBackups, nowMs: number): string[] {
  if (days === 0) return [];
  const removable = complete.slice(0, Math.max(complete.length - newest, 0));
  return removable.filter((name) => nowMs - (timeOf(name) ?? nowMs) > days * DAY_MS);
}

function timeOf(name: string): number | null {
  return NAME.test(name) ? Date.parse(name.replace(NAME, '$1$2:$3:$4')) : null;
}
