import { tooManyRequests } from '../bot-api-error.ts';
import type { Simulator } from '../simulator.ts';

/** Throws 429 when a bot sends faster than the configured limits; by default there are none. */
export function enforceFloodLimits(sim: Simulator, botId: number, chatId: string): void {
  const limits = sim.floodLimits;
  if (limits === null) return;
  const nowMs = sim.clock.nowMs();
  spend(sim, `${botId}`, limits.perSecond, 1_000, nowMs);
  spend(sim, `${botId}:${chatId}`, limits.perChatPerMinute, 60_000, nowMs);
}

function spend(sim: Simulator, key: string, allowed: number, windowMs: number, nowMs: number): void {
  const sent = (sim.sentRecently.get(key) ?? []).filter((atMs) => atMs > nowMs - windowMs);
  sim.sentRecently.set(key, sent);
  if (sent.length >= allowed) throw tooManyRequests(Math.max(1, Math.ceil((sent[0]! + windowMs - nowMs) / 1000)));
  sent.push(nowMs);
}
