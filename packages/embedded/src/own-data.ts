import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceError } from './service-error.ts';

/**
 * Takes a data directory for this process, so that two launchers never run services over the same files. Throws when
 * another running process has it. The returned function releases it.
 */
export async function ownData(dataDir: string): Promise<() => Promise<void>> {
  await makeDataDir(dataDir);
  const file = join(dataDir, 'owner');
  const owner = `${process.pid} ${await startTime(process.pid)}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const taken = await writeFile(file, owner, { flag: 'wx' }).then(
      () => false,
      (error) => {
        if (error.code === 'EEXIST') return true;
        throw serviceError(`The data directory ${dataDir} cannot be written: ${error.message}.`, error);
      },
    );
    if (!taken) return () => rm(file, { force: true });
    const [pid = '', startedAt = ''] = (await readFile(file, 'utf8').catch(() => '')).split(' ');
    if (pid !== '' && startedAt === (await startTime(Number(pid)))) {
      throw serviceError(`Flotilla already runs over ${dataDir} (process ${pid}); stop it first, or set DATA_DIR.`);
    }
    await rm(file, { force: true });
  }
  throw serviceError(`Another start is taking ${dataDir} at this moment.`);
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
