import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { Pool } from 'undici';
import { percentile } from './percentile.ts';

const CONNECTIONS = 32;
export const SECONDS = 4;

export const loadGenerator: 'wrk' | 'autocannon' = spawnSync('wrk', ['-v']).error ? 'autocannon' : 'wrk';

/** Requests per second that a URL serves to 32 connections, each POSTing a small JSON body. */
export async function requestsPerSecond(url: string, body: string): Promise<number> {
  return loadGenerator === 'wrk' ? withWrk(url, body) : withAutocannon(url, body);
}

/** Not synchronously: connections that a server closes meanwhile would seem open to the next request. */
async function withWrk(url: string, body: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-wrk-'));
  const script = join(directory, 'post.lua');
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\nwrk.headers["Content-Type"] = "application/json"\n`,
  );
  const run = promisify(execFile)('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, url]);
  const { stdout } = await run.finally(() => rmSync(directory, { recursive: true }));
  if (/Non-2xx/.test(stdout)) throw new Error(`Not every answer was a success:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

async function withAutocannon(url: string, body: string): Promise<number> {
  const result = await autocannon({
    url,
    body,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    connections: CONNECTIONS,
    duration: SECONDS,
  });
  if (result.non2xx > 0) throw new Error(`${result.non2xx} answers were no success`);
  return result.requests.average;
}

/** Latency (ms) of requests that are sent at a steady rate, even while earlier ones are unanswered. */
export async function latencyAtRate(
  url: string,
  body: string,
  perSecond: number,
): Promise<{ p50: number; p99: number }> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const took: number[] = [];
  const pending: Promise<void>[] = [];
  const total = perSecond * SECONDS;
  const begunAt = performance.now();
  const send = async () => {
    const sentAt = performance.now();
    const answer = await pool.request({
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump();
    took.push(performance.now() - sentAt);
  };
  while (pending.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begunAt) * perSecond) / 1000));
    while (pending.length < due) pending.push(send());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(pending);
  await pool.close();
  return { p50: percentile(took, 50), p99: percentile(took, 99) };
}
