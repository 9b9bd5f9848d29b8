import { DEFAULT_UPSTREAM, type UpstreamState } from '@flotilla/contract/upstreams.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { upstreamsKey } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import { isOutage } from '@flotilla/telegram/call-fate.ts';
import { ABORTED, type PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { UNKNOWN_SERVER } from './server-of-name.ts';

/**
 * If the servers answer. What Flotilla sends by itself waits while one of TELEGRAM_UPSTREAMS does not, then tries one call at a time; at
 * that of TELEGRAM_API_URL, each bot waits for itself.
 */
export type UpstreamHealth = {
  /** Learns from a call that began at this time of performance.now(). Never throws. */
  learn(upstream: string, answer: PlatformAnswer, begunAtMs: number): void;
  /** How long (ms) nothing is sent there by itself. */
  leftMs(upstream: string): number;
  /** The same for whoever makes a call right after it: the next try is for one caller alone. */
  begin(upstream: string): number;
};

type Known = { failures: number; sinceMs: number; failedAtMs: number; restsUntilMs: number; triedAtMs: number };

/** One call may fail for reasons of its own. */
const FAILS_FROM = 3;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 15_000;
const NEXT_TRY_MS = 5_000;
const TELL_EVERY_MS = 5_000;
/** Older news says nothing about now. */
const NEWS_MS = 300_000;

export function upstreamHealth({ redis, clock }: { redis: RedisHandles; clock: Clock }): UpstreamHealth {
  const servers = new Map<string, Known>();
  const toldAtMs = new Map<string, number>();
  const tell = (field: string, told: object) => {
    const nowMs = performance.now();
    if (nowMs - (toldAtMs.get(field) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
    toldAtMs.set(field, nowMs);
    redis.commands.hset(upstreamsKey, field, JSON.stringify({ ...told, atMs: clock.nowMs() })).catch(() => undefined);
  };
  const leftMs = (name: string): number => {
    const known = servers.get(name);
    if (known === undefined || known.failures < FAILS_FROM || name === DEFAULT_UPSTREAM) return 0;
    const nowMs = performance.now();
    return Math.max(0, known.restsUntilMs - nowMs, known.triedAtMs + NEXT_TRY_MS - nowMs);
  };
  const fail = (name: string, reason: string, begunAtMs: number) => {
    const before = servers.get(name);
    const nowMs = performance.now();
    // Calls that were in flight at the failure are further ones only until it is sure.
    if (before !== undefined && before.failures >= FAILS_FROM && begunAtMs < before.failedAtMs) return;
    const failures = (before?.failures ?? 0) + 1;
    const restMs = Math.min(FIRST_REST_MS * 2 ** Math.max(0, failures - FAILS_FROM), LONGEST_REST_MS);
    const sinceMs = before?.sinceMs ?? clock.nowMs();
    const rests = { failedAtMs: nowMs, restsUntilMs: nowMs + restMs, triedAtMs: Number.NEGATIVE_INFINITY };
    servers.set(name, { failures, sinceMs, ...rests });
    if (failures >= FAILS_FROM) tell(`${name}:failed`, { sinceMs, error: reason });
  };
  return {
    leftMs,
    begin: (name) => {
      const left = leftMs(name);
      const known = servers.get(name);
      if (left === 0 && known !== undefined) known.triedAtMs = performance.now();
      return left;
    },
    learn: (name, answer, begunAtMs) => {
      if (answer.outcome === 'unreachable' && (answer.reason === ABORTED || answer.quarantined === true)) return;
      if (isOutage(answer)) return fail(name, reasonOf(answer), begunAtMs);
      const before = servers.get(name);
      servers.delete(name);
      if (before !== undefined && before.failures >= FAILS_FROM) toldAtMs.delete(`${name}:ok`);
      tell(`${name}:ok`, {});
    },
  };
}

function reasonOf(answer: PlatformAnswer): string {
  if (answer.outcome === 'ok') return '';
  return answer.outcome === 'refused' ? answer.description : answer.reason;
}

/** The health of each server of the settings, and of those that bots name without one, by all processes. */
export async function readUpstreams(
  deps: { redis: RedisHandles; clock: Clock; directory: Pick<BotDirectory, 'all'> },
  config: { platformUrl: string; servers: UpstreamServers },
): Promise<UpstreamState[]> {
  const bots = Map.groupBy(deps.directory.all(), ({ upstream }) => upstream);
  const names = [...new Set([DEFAULT_UPSTREAM, ...config.servers.keys(), ...bots.keys()])];
  const fields = names.flatMap((name) => [`${name}:ok`, `${name}:failed`]);
  const told = await deps.redis.commands.hmget(upstreamsKey, ...fields);
  const since = deps.clock.nowMs() - NEWS_MS;
  return names.map((name, at) => {
    const shown = { name, bots: bots.get(name)?.length ?? 0 };
    const url = name === DEFAULT_UPSTREAM ? config.platformUrl : config.servers.get(name)?.url;
    if (url === undefined) return { ...shown, url: '', state: 'failing', error: UNKNOWN_SERVER };
    const known = { ...shown, url: new URL(url).origin };
    const [ok, failed] = [newsOf(told[2 * at], since), newsOf(told[2 * at + 1], since)];
    if (failed === null || failed.atMs <= (ok?.atMs ?? 0)) return { ...known, state: ok ? 'ok' : 'unknown', error: '' };
    const failing_since = new Date(failed.sinceMs ?? failed.atMs).toISOString();
    return { ...known, state: 'failing', failing_since, error: failed.error ?? '' };
  });
}

type News = { atMs: number; sinceMs?: number; error?: string };

function newsOf(text: string | null | undefined, afterMs: number): News | null {
  const news = text ? (JSON.parse(text) as News) : null;
  return news !== null && news.atMs >= afterMs ? news : null;
}
