/** The result of a check. `mend` says what to do about it; there is nothing to do about what is ok. */
export type Finding = { level: 'ok' | 'warn' | 'fail'; check: string; found: string; mend?: string };

export const ok = (check: string, found: string): Finding => ({ level: 'ok', check, found });
export const warn = (check: string, found: string, mend: string): Finding => ({ level: 'warn', check, found, mend });
export const fail = (check: string, found: string, mend: string): Finding => ({ level: 'fail', check, found, mend });

/** A line for people: level, what was checked, what was found, how to mend it. */
export function lineOf({ level, check, found, mend }: Finding): string {
  return `${level.padEnd(4)} ${check}: ${found}${mend === undefined ? '' : ` – ${mend}`}`;
}

/** The error in one line, without a stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  const { message, cause } = error as Error;
  const because = cause instanceof Error ? `: ${reasonOf(cause)}` : '';
  return `${message ?? String(error)}${because}`.replace(/\s+/g, ' ').trim();
}
