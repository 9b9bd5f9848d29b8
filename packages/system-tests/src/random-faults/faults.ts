import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@flotilla/testing/random.ts';
import type { Link, Part } from './installation.ts';

/** One fault, its target, and its time span in wall-clock milliseconds. */
export type Fault = { kind: string; target: string; to: string; fromMs: number; toMs: number };

/** Makes the backend answer errors while it is on. */
export type Refusal = { name: string; turn(on: boolean): void };

export type Targets = { parts: Part[]; links: Link[]; refusals: Refusal[] };

/** One possible fault: `harm` starts it and `mend` ends it. */
type Act = {
  kind: string;
  name: string;
  to: string;
  seconds: [number, number];
  harm(): Promise<void>;
  mend(): Promise<void>;
};

/** The maximum exceeds the life of a lock (10 s). */
const STOPPED_SECONDS: [number, number] = [0.5, 14];
const STORE_STOPPED_SECONDS: [number, number] = [0.5, 10];
const PAUSE_SECONDS: [number, number] = [0.4, 2.2];

/**
 * Makes random faults for this many seconds: several at a time, but one per target. Resolves with all of them when
 * everything works again. The same seed makes the same faults in the same order.
 */
export async function makeFaults(random: Random, targets: Targets, seconds: number): Promise<Fault[]> {
  const acts = actsOn(targets);
  const kinds = [...new Set(acts.map(({ kind }) => kind))];
  const faults: Fault[] = [];
  const harmed = new Map<string, Promise<void>>();
  const failed: unknown[] = [];
  for (const endsAtMs = Date.now() + seconds * 1000; Date.now() < endsAtMs && failed.length === 0; ) {
    const kind = random.oneOf(kinds);
    const act = random.oneOf(acts.filter((one) => one.kind === kind));
    const lastsMs = random.between(...act.seconds) * 1000;
    const pauseMs = random.between(...PAUSE_SECONDS) * 1000;
    if (!harmed.has(act.name)) {
      const fault: Fault = { kind, target: act.name, to: act.to, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
      faults.push(fault);
      const doing = (async () => {
        await act.harm();
        await delay(lastsMs);
        await act.mend();
        fault.toMs = Date.now();
      })();
      harmed.set(
        act.name,
        doing.catch((error: unknown) => void failed.push(error)).finally(() => harmed.delete(act.name)),
      );
    }
    await delay(pauseMs);
  }
  await Promise.all(harmed.values());
  if (failed.length > 0) throw failed[0];
  return faults;
}

function actsOn({ parts, links, refusals }: Targets): Act[] {
  return [...parts.flatMap(actsOnPart), ...links.flatMap(actsOnLink), ...refusals.map(refuse)];
}

function actsOnPart(part: Part): Act[] {
  const { name, kind: to } = part;
  const isService = to === 'api' || to === 'worker';
  let stopped: number[] = [];
  const signal = (pids: number[], what: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, what);
      } catch (error) {
        // A child of Postgres may have ended since the list was made.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };
  return [
    { kind: 'kill', name, to, seconds: [0, 3], harm: part.kill, mend: part.start },
    {
      kind: 'stop',
      name,
      to,
      seconds: isService ? STOPPED_SECONDS : STORE_STOPPED_SECONDS,
      harm: async () => {
        stopped = await part.pids();
        signal(stopped, 'SIGSTOP');
      },
      mend: async () => signal(stopped, 'SIGCONT'),
    },
  ];
}

function actsOnLink({ name, to, relay }: Link): Act[] {
  return [
    { kind: 'cut', name, to, seconds: [0.3, 6], harm: relay.cut, mend: relay.restore },
    { kind: 'mute', name, to, seconds: [0.5, 8], harm: async () => relay.hang(), mend: relay.restore },
    { kind: 'reset', name, to, seconds: [0, 0], harm: async () => relay.reset(), mend: async () => {} },
  ];
}

function refuse({ name, turn }: Refusal): Act {
  return {
    kind: 'refuse',
    name,
    to: 'backend',
    seconds: [0.5, 6],
    harm: async () => turn(true),
    mend: async () => turn(false),
  };
}
