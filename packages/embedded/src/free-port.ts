import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below those that systems give to outgoing connections (Linux from 32768 on), one of which could take it meanwhile.
const FROM = 15_000;
const TO = 32_000;
const TRIES = 100;

/** A loopback port nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(FROM, TO);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found from ${FROM} to ${TO}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}
