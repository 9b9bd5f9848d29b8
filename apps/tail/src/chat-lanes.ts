import type { TailedUpdate } from './post-update.ts';

/** Updates that wait, one lane for each chat. Within a lane they are handled one after the other. */
export type ChatLanes = {
  add(update: TailedUpdate): void;
  /** Resolves when there is room for more. */
  room(): Promise<void>;
  /** Resolves when nothing waits. */
  empty(): Promise<void>;
  waiting(): number;
};

type Limits = { atOnce: number; updates: number; bytes: number };

/** Handles updates of different chats at the same time, up to `atOnce`. `handle` must not throw. */
export function chatLanes(limits: Limits, handle: (update: TailedUpdate) => Promise<void>): ChatLanes {
  const lanes = new Map<string, TailedUpdate[]>();
  const ready: string[] = [];
  let [running, updates, bytes] = [0, 0, 0];
  let waiters: { when: () => boolean; resolve: () => void }[] = [];

  const wake = () => {
    const due = waiters.filter(({ when }) => when());
    waiters = waiters.filter(({ when }) => !when());
    for (const { resolve } of due) resolve();
  };
  const until = (when: () => boolean): Promise<void> =>
    when() ? Promise.resolve() : new Promise((resolve) => waiters.push({ when, resolve }));
  const run = async (lane: string): Promise<void> => {
    const [update] = lanes.get(lane)!;
    running += 1;
    await handle(update!);
    running -= 1;
    updates -= 1;
    bytes -= update!.raw.length;
    const left = lanes.get(lane)!;
    left.shift();
    if (left.length === 0) lanes.delete(lane);
    else ready.push(lane);
    start();
    wake();
  };
  const start = () => {
    while (running < limits.atOnce && ready.length > 0) void run(ready.shift()!);
  };

  return {
    add: (update) => {
      // Updates without a chat keep their order within their kind.
      const lane = update.chatId === null ? update.kind : String(update.chatId);
      updates += 1;
      bytes += update.raw.length;
      const before = lanes.get(lane);
      if (before !== undefined) return void before.push(update);
      lanes.set(lane, [update]);
      ready.push(lane);
      start();
    },
    room: () => until(() => updates < limits.updates && bytes < limits.bytes),
    empty: () => until(() => updates === 0),
    waiting: () => updates,
  };
}
