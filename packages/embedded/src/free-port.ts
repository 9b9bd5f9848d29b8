import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { inheritedEnv } from '@flotilla/runtime/env.ts';

// Below the ports of outgoing connections (Linux from 32768 on), one of which could take a free port meanwhile.
const FROM = 15_000;
const TO = 32_000;
const TRIES = 100;

/** The processes of one test run choose ports at the same time, each from its own share; so do the runs over two forms of Redis. */
const SHARES = 16;
const FORMS = ['single', 'sentinel', 'cluster'];
const PER_SHARE = Math.floor((TO - FROM) / (SHARES * FORMS.length));

/** Ports that were chosen before. Their users may not have opened them yet. */
const chosen = new Set<number>();

/** A loopback port that nothing listens on now and that was never returned before: `wanted`, if it is free. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && !chosen.has(wanted) && (await isFree(wanted))) {
    chosen.add(wanted);
    return wanted;
  }
  const { JEST_WORKER_ID: worker = 0, TEST_REDIS: form } = inheritedEnv();
  const share = FORMS.indexOf(form || 'single') * SHARES + (Number(worker) % SHARES);
  const first = FROM + share * PER_SHARE;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(first, first + PER_SHARE);
    if (chosen.has(port)) continue;
    chosen.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found from ${first} to ${first + PER_SHARE}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}
