/**
 * Measures how long (ms) passes of this event loop held it, those over 1 ms, in processor time of its thread: other load of the machine
 * does not count, garbage collection does. It keeps the loop busy while it measures.
 */
export function loopHolds(): { stop(): number[] } {
  const held: number[] = [];
  let running = true;
  let last = threadMs();
  const pass = () => {
    const now = threadMs();
    if (now - last > 1) held.push(now - last);
    last = now;
    if (running) setImmediate(pass);
  };
  setImmediate(pass);
  return {
    stop: () => {
      running = false;
      return held;
    },
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
