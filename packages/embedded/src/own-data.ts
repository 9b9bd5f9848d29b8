import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceError } from './service-error.ts';

/** An owner on another machine, or in another container, says this often that it lives. */
const ALIVE_EVERY_MS = 2_000;
const SILENT_AFTER_MS = 10_000;
const LOOK_MS = 500;
const WRITTEN_WITHIN_MS = 200;

/**
 * Takes a data directory for this process, so that two launchers never run services over the same files. Throws when
 * another running process has it. The returned function releases it.
 */
export async function ownData(dataDir: string): Promise<() => Promise<void>> {
  await makeDataDir(dataDir);
  const file = join(dataDir, 'owner');
  const owner = `${process.pid} ${await startTime(process.pid)} ${hostname()}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (writeNew(file, owner)) return keep(file);
    const found = await readOwner(file);
    const other = await nameIfAlive(file, found);
    if (other !== null) {
      throw serviceError(`Flotilla already runs over ${dataDir} (${other}): stop it first, or name another directory.`);
    }
    if (found !== null) removeStale(file, found);
  }
  throw serviceError(`Another start is taking ${dataDir} at this moment.`);
}

/** Who runs over a data directory; null if nobody does. Of another machine it takes ten seconds to know. */
export async function ownerOf(dataDir: string): Promise<string | null> {
  const file = join(dataDir, 'owner');
  return nameIfAlive(file, await readOwner(file));
}

/** The text of the file; null if there is none. One that was made just now may be written a moment later. */
async function readOwner(file: string): Promise<string | null> {
  const read = () => readFile(file, 'utf8').catch(() => null);
  const found = await read();
  if (found !== '') return found;
  await delay(WRITTEN_WITHIN_MS);
  return read();
}

async function nameIfAlive(file: string, owner: string | null): Promise<string | null> {
  const [pid = '', startedAt = '', host = hostname()] = (owner ?? '').split(' ');
  if (pid === '') return null;
  if (host === hostname()) return startedAt === (await startTime(Number(pid))) ? `process ${pid}` : null;
  return (await saysThatItLives(file)) ? `process ${pid} on ${host}` : null;
}

/** False if the file exists. */
function writeNew(file: string, owner: string): boolean {
  try {
    writeFileSync(file, owner, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw serviceError(`The data directory ${dirname(file)} cannot be written: ${(error as Error).message}.`, error);
  }
}

/** Only one of several starts can move the file away. If it is already that of a new owner, it is put back. */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.${process.pid}-${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw serviceError(`The data directory ${dirname(file)} cannot be written: ${(error as Error).message}.`, error);
  }
  const moved = readFileSync(aside, 'utf8');
  if (moved !== stale) writeNew(file, moved);
  rmSync(aside, { force: true });
}

/** Processes of another machine cannot be asked, but they touch the file. */
async function saysThatItLives(file: string): Promise<boolean> {
  const touchedAtMs = () =>
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
  const first = await touchedAtMs();
  for (let waitedMs = 0; waitedMs < SILENT_AFTER_MS; waitedMs += LOOK_MS) {
    const now = await touchedAtMs();
    if (now === null) return false;
    if (now !== first) return true;
    await delay(LOOK_MS);
  }
  return false;
}

function keep(file: string): () => Promise<void> {
  const touch = () => void utimes(file, new Date(), new Date()).catch(() => undefined);
  const timer = setInterval(touch, ALIVE_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await rm(file, { force: true });
  };
}

/** Others can pass through the directory but not list it: started by root, Postgres runs as another user. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    const made = await mkdir(dataDir, { recursive: true });
    if (made) await chmod(dataDir, 0o711);
  } catch (error) {
    throw serviceError(`The data directory ${dataDir} cannot be made: ${(error as Error).message}.`, error);
  }
}

/** A pid can be reused, so it is combined with the start time of its process. */
async function startTime(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat !== null) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  try {
    process.kill(pid, 0);
    return process.platform === 'linux' ? 'gone' : 'alive';
  } catch {
    return 'gone';
  }
}
