import { readFile, writeFile } from 'node:fs/promises';

/** By how many bytes the peak of resident memory rose during an action. Linux only. */
export async function memoryGrowth(pid: number, doing: () => Promise<void>): Promise<number> {
  // Resets the recorded peak.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const before = await readPeak(pid);
  await doing();
  return (await readPeak(pid)) - before;
}

async function readPeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
}
