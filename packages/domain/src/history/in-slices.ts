import { setImmediate as nextPass } from 'node:timers/promises';

/** Two batches may be at work in one pass of the event loop, and a delivery must not wait for them. */
const SLICE_MS = 0.5;
/** Steps of a batch follow each other without a pause, so less than this may be left of a slice at the end. */
const LEFT_MS = 0.1;

/** Does the work for each item in order. Every half millisecond it lets the rest of the process work. */
export async function inSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  let begunAtMs = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - begunAtMs < SLICE_MS) continue;
    await nextPass();
    begunAtMs = performance.now();
  }
  if (performance.now() - begunAtMs > LEFT_MS) await nextPass();
}
