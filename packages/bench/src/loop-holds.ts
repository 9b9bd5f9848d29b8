import { closeSync, openSync, readSync } from 'node:fs';

/** A pass that took less is not looked at. */
const SHORT_MS = 0.5;
/** Processor time is counted in steps of a tick of the kernel. */
const TICK_MS = 4;
/** How long the thread sleeps between two passes. Passes without a pause would leave as much garbage as what is measured. */
const PAUSE_MS = 0.2;

/**
 * Measures how long (ms) passes of this event loop held it, those over 1 ms: without the time in which its thread waited for
 * a processor, and at most a tick more than its processor time. So other load of the machine does not count, garbage
 * collection does. The thread sleeps a little after each pass, which slows what is measured. Linux only (proc(5), schedstat).
 */
export function loopHolds(): { stop(): number[] } {
  const waits = openSync('/proc/thread-self/schedstat', 'r');
  const text = Buffer.alloc(64);
  const neverWoken = new Int32Array(new SharedArrayBuffer(4));
  const held: number[] = [];
  const read = () => {
    const length = readSync(waits, text, 0, text.length, 0);
    const { user, system } = process.threadCpuUsage();
    return { waitedMs: Number(text.toString('latin1', 0, length).split(' ')[1]) / 1e6, ranMs: (user + system) / 1000 };
  };
  let running = true;
  let last = read();
  let lastMs = performance.now();
  const pass = () => {
    if (!running) return closeSync(waits);
    const tookMs = performance.now() - lastMs;
    if (tookMs > SHORT_MS) {
      const now = read();
      const heldMs = Math.min(tookMs - (now.waitedMs - last.waitedMs), now.ranMs - last.ranMs + TICK_MS);
      if (heldMs > 1) held.push(heldMs);
    }
    Atomics.wait(neverWoken, 0, 0, PAUSE_MS);
    last = read();
    lastMs = performance.now();
    setImmediate(pass);
  };
  setImmediate(pass);
  return {
    stop: () => {
      running = false;
      return held;
    },
  };
}
