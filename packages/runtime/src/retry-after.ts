const SECONDS = /^\d{1,9}$/;
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .+ GMT$/;

/** The wait that a Retry-After header asks for, by seconds or by a date (RFC 9110, 10.2.3); undefined if it names none. */
export function secondsOfRetryAfter(header: string, nowMs: number): number | undefined {
  if (SECONDS.test(header)) return Number(header);
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(1, Math.ceil((atMs - nowMs) / 1000));
}
