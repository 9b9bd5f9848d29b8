import { setImmediate as nextPass } from 'node:timers/promises';

/** The shortest slice. Two batches may be at work in one pass of the event loop, and a delivery must not wait for them. */
const SLICE_MS = 0.5;
/** Steps of a batch follow each other without a pause, so less than this may be left of a slice at the end. */
const LEFT_MS = 0.1;
/** While a pass of the event loop takes long, a slice may take this part of it. Otherwise a busy process stores too little. */
const SHARE = 0.1;
const LONGEST_SLICE_MS = 1.5;

/** Does the work for each item in order, in short slices. In between it lets the rest of the process work. */
export async function inSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  let begunAtMs = performance.now();
  let sliceMs = SLICE_MS;
  for (const item of items) {
    work(item);
    const nowMs = performance.now();
    if (nowMs - begunAtMs < sliceMs) continue;
    await nextPass();
    begunAtMs = performance.now();
    sliceMs = Math.min(Math.max(SLICE_MS, (begunAtMs - nowMs) * SHARE), LONGEST_SLICE_MS);
  }
  if (performance.now() - begunAtMs > LEFT_MS) await nextPass();
}
