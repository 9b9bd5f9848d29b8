/** The simulator's time: the wall clock plus what `advance` has skipped. */
export type SimClock = {
  nowMs(): number;
  nowS(): number;
  /** Runs `action` after `delayMs` of simulated time; the returned function cancels it. */
  after(delayMs: number, action: () => void): () => void;
  advance(ms: number): void;
  /** How far the simulated time is ahead of the wall clock. */
  skippedMs(): number;
  stop(): void;
};

type Alarm = { dueMs: number; action: () => void; timer: NodeJS.Timeout | undefined };

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function simClock(): SimClock {
  let skippedMs = 0;
  const alarms = new Set<Alarm>();
  const nowMs = () => Date.now() + skippedMs;

  const arm = (alarm: Alarm) => {
    clearTimeout(alarm.timer);
    const waitMs = Math.min(Math.max(0, alarm.dueMs - nowMs()), LONGEST_TIMER_MS);
    alarm.timer = setTimeout(() => {
      if (alarm.dueMs > nowMs()) return arm(alarm);
      alarms.delete(alarm);
      alarm.action();
    }, waitMs);
  };

  return {
    nowMs,
    nowS: () => Math.floor(nowMs() / 1000),
    after(delayMs, action) {
      const alarm: Alarm = { dueMs: nowMs() + delayMs, action, timer: undefined };
      alarms.add(alarm);
      arm(alarm);
      return () => {
        clearTimeout(alarm.timer);
        alarms.delete(alarm);
      };
    },
    advance(ms) {
      skippedMs += ms;
      for (const alarm of alarms) arm(alarm);
    },
    skippedMs: () => skippedMs,
    stop() {
      for (const alarm of alarms) clearTimeout(alarm.timer);
      alarms.clear();
    },
  };
}
