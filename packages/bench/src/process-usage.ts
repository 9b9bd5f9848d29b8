import { readdirSync, readFileSync } from 'node:fs';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import pg from 'pg';

/** Usage of a part of the fleet: processor time since its start (s), and memory (MB) with shared pages counted once. */
export type Usage = { cpuSeconds: number; memoryMb: number };

/** One part of the fleet: its name, and the ids of its processes. */
export type Part = { name: string; pids(): number[] };

/** The unit in which the kernel counts processor time (proc(5)). */
const TICKS_PER_SECOND = 100;

/** The fleet as parts: each api and worker, Redis, and Postgres with all its processes. Linux only. */
export async function partsOf(fleet: Fleet): Promise<Part[]> {
  const redis = await pidListeningOn('redis-server', fleet.redis.port);
  return [
    ...fleet.apis.map(({ pid }, at) => ({ name: `api ${at + 1}`, pids: () => [pid] })),
    ...fleet.workers.map(({ pid }, at) => ({ name: `worker ${at + 1}`, pids: () => [pid] })),
    { name: 'Redis', pids: () => redis },
    await postgresPart(fleet.database.url),
  ];
}

/** Postgres with all its processes; those that end count with their parent. */
export async function postgresPart(url: string): Promise<Part> {
  const postmaster = await postmasterOf(url);
  return { name: 'Postgres', pids: () => [postmaster, ...childrenOf(postmaster)] };
}

export function usageOf(part: Part): Usage {
  const usages = part.pids().map(usageOfProcess);
  return {
    cpuSeconds: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    memoryMb: usages.reduce((sum, { memoryMb }) => sum + memoryMb, 0),
  };
}

/** The cores in use during the given seconds after `begin`. */
export async function coresOf(parts: Part[], seconds: number, begin: () => Promise<unknown>): Promise<number[]> {
  const before = parts.map((part) => usageOf(part).cpuSeconds);
  const begunAt = performance.now();
  await begin();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const tookS = (performance.now() - begunAt) / 1000;
  return parts.map((part, at) => (usageOf(part).cpuSeconds - before[at]!) / tookS);
}

function usageOfProcess(pid: number): Usage {
  try {
    // After the name in brackets, utime and stime are the 12th and 13th field; the times of ended children follow.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const kb = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return { cpuSeconds: ticks / TICKS_PER_SECOND, memoryMb: Number(kb ?? 0) / 1024 };
  } catch {
    // The process ended after it was listed.
    return { cpuSeconds: 0, memoryMb: 0 };
  }
}

/** The memory (MB) of a process without the files that it shares with others, such as programs. */
export function ownMemoryMb(pid: number): number {
  const kb = /^Pss_Anon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kb ?? 0) / 1024;
}

/** All memory (MB) of a process that is in use, also what it shares with others. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

function parentOf(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]);
  } catch {
    return null;
  }
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function childrenOf(parent: number): number[] {
  return allPids().filter((pid) => parentOf(pid) === parent);
}

async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]!.pid);
  await client.end();
  if (postmaster === null) throw new Error('Postgres does not run on this machine');
  return postmaster;
}

/** The processes of a program that were told to listen on this port of the machine itself. */
export async function pidListeningOn(program: string, port: number): Promise<number[]> {
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${program} 127.0.0.1:${port}`);
    } catch {
      return false;
    }
  });
}
