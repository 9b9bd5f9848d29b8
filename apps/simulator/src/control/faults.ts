import type { Fault, FaultEffect } from '../faults/fault.ts';
import type { FloodLimits } from '../faults/flood-limits.ts';
import type { Simulator } from '../simulator.ts';

/** Makes calls fail: of one bot or all, of one method or all, the next `count` ones or until cleared. */
export function setFault(
  sim: Simulator,
  input: { bot?: number; method?: string; count?: number; effect: FaultEffect },
): { faultId: number } {
  const id = (sim.faults.at(-1)?.id ?? 0) + 1;
  sim.faults.push({
    id,
    botId: input.bot ?? null,
    method: input.method?.toLowerCase() ?? null,
    effect: input.effect,
    left: input.count ?? Number.MAX_SAFE_INTEGER,
    hits: 0,
  });
  return { faultId: id };
}

export function listFaults(sim: Simulator): Fault[] {
  return sim.faults;
}

/** Removes one rule, or all of them. */
export function clearFaults(sim: Simulator, input: { faultId?: number }): void {
  sim.faults = input.faultId === undefined ? [] : sim.faults.filter(({ id }) => id !== input.faultId);
}

/** Sets how fast bots may send before they get 429; null lifts the limits. */
export function setLimits(sim: Simulator, input: { limits: FloodLimits | null }): void {
  sim.floodLimits = input.limits;
  sim.sentRecently.clear();
}

/** Moves the simulated time forward: updates expire, and webhook retries come due. */
export function advanceClock(sim: Simulator, input: { ms: number }): { nowMs: number } {
  sim.clock.advance(input.ms);
  return { nowMs: sim.clock.nowMs() };
}

/** Switches between the rules of the cloud and of a `--local` server. */
export function setLocalMode(sim: Simulator, input: { localMode: boolean }): void {
  sim.settings.localMode = input.localMode;
}
