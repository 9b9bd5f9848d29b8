/** What happens to matching calls instead of (or before) being carried out. */
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
  /** The call is carried out, and then its answer is lost. */
  | { kind: 'lose-answer' };

/** A rule for calls of one bot (or all) and one method (or all), for the next `count` calls (or until removed). */
export type Fault = {
  id: number;
  botId: number | null;
  method: string | null;
  effect: FaultEffect;
  left: number;
  hits: number;
};

/** The first rule that applies, counted as used; null when the call may pass. */
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
