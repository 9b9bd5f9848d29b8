/** The act of the simulator on a matching call, instead of running it or before running it. */
export type FaultEffect =
  | {
      kind: 'status';
      status: number;
      body?: string | undefined;
      description?: string | undefined;
      retryAfterS?: number | undefined;
      contentType?: string | undefined;
    }
  | { kind: 'hang' }
  | { kind: 'reset' }
  | { kind: 'delay'; delayMs: number }
  /** Runs the call and then drops its response. */
  | { kind: 'lose-answer' };

/** A rule for calls of one bot (or all) to one method (or all): for the next `count` calls, or until removed. */
export type Fault = {
  id: number;
  botId: number | null;
  method: string | null;
  effect: FaultEffect;
  left: number;
  hits: number;
};

/** Returns the first rule that matches and counts its use; null when no rule matches. */
export function takeFault(faults: Fault[], botId: number, method: string): Fault | null {
  for (const fault of faults) {
    if (fault.left <= 0) continue;
    if (fault.botId !== null && fault.botId !== botId) continue;
    if (fault.method !== null && fault.method !== method) continue;
    fault.left -= 1;
    fault.hits += 1;
    return fault;
  }
  return null;
}
