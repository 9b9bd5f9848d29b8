import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const EVERY_MS = 15_000;
/** Of a core. */
const IDLE_SHARE = 0.03;
/** Less is not worth a pause of a tenth of a second. */
const WORTH_BYTES = 12e6;
/** The heap of a process that knows thousands of bots is collected in a pause that somebody would notice. */
const LARGE_HEAP_BYTES = 200e6;

/**
 * Gives memory that V8 keeps for later back to the system, while the process has next to nothing to do: after its start, and after a
 * burst (ADR 37).
 */
export function returnIdleMemory(everyMs = EVERY_MS): void {
  setFlagsFromString('--expose-gc');
  // Only contexts made after the flag was set have it.
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  let before = process.cpuUsage();
  let leftBytes = 0;
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const isIdle = user + system < IDLE_SHARE * everyMs * 1000;
    const { rss, heapUsed } = process.memoryUsage();
    if (!isIdle || rss < leftBytes + WORTH_BYTES || heapUsed > LARGE_HEAP_BYTES) return;
    // This flavour also frees the pages that V8 pools.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    leftBytes = process.memoryUsage.rss();
  }, everyMs).unref();
}
