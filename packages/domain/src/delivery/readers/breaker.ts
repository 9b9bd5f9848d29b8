export type Breaker = {
  failingSinceMs: number | null;
  nextProbeAtMs: number | null;
  /** The last error of delivery, while nothing has succeeded since. */
  error: { message: string; atMs: number } | null;
  succeededAtMs: number | null;
};

/** Fields of a backend as Redis has them; '' for what is absent. */
export type BreakerFields = Record<'failingSince' | 'openUntil' | 'pushErr' | 'pushErrAt' | 'pushOkAt', string>;

/** While the breaker is open, the next probe is due now if its time has passed. */
export function breakerOf(nowMs: number, isOn: boolean, shown: BreakerFields): Breaker {
  const [errorAtMs, succeededAtMs, openUntilMs] = [shown.pushErrAt, shown.pushOkAt, shown.openUntil].map(numberOrNull);
  const stands = shown.pushErr !== '' && (errorAtMs ?? 0) >= (succeededAtMs ?? 0);
  return {
    failingSinceMs: numberOrNull(shown.failingSince),
    nextProbeAtMs: isOn && openUntilMs !== null ? Math.max(openUntilMs!, nowMs) : null,
    error: stands ? { message: shown.pushErr, atMs: errorAtMs ?? 0 } : null,
    succeededAtMs: succeededAtMs ?? null,
  };
}

export function numberOrNull(value: string | number | undefined): number | null {
  return value === '' || value === undefined ? null : Number(value);
}
