import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { inheritedEnv } from '@flotilla/runtime/env.ts';

// Below the ports of outgoing connections (Linux from 32768 on), one of which could take a free port meanwhile.
const FROM = 15_000;
const TO = 32_000;
const TRIES = 100;

/** The workers of one test run (eight at most) choose ports at the same time, each from its own share; so do runs over other forms of Redis. */
const WORKERS = 9;
const FORMS = ['single', 'sentinel', 'cluster'];
const PER_SHARE = Math.floor((TO - FROM) / (WORKERS * FORMS.length));

/** Ports that were chosen before, and when. Their users may not have opened them yet, or open them again after a restart. */
const chosen = new Map<number, number>();
const CHOSEN_FOR_MS = 15 * 60_000;

/** A loopback port that nothing listens on now and that was not returned for a quarter of an hour: `wanted`, if it is free. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && !wasChosen(wanted) && (await isFree(wanted))) {
    chosen.set(wanted, performance.now());
    return wanted;
  }
  const { JEST_WORKER_ID: worker = 0, TEST_REDIS: form } = inheritedEnv();
  const share = FORMS.indexOf(form || 'single') * WORKERS + (Number(worker) % WORKERS);
  const first = FROM + share * PER_SHARE;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(first, first + PER_SHARE);
    if (wasChosen(port)) continue;
    chosen.set(port, performance.now());
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found from ${first} to ${first + PER_SHARE}`);
}

function wasChosen(port: number): boolean {
  const atMs = chosen.get(port);
  return atMs !== undefined && performance.now() - atMs < CHOSEN_FOR_MS;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}
