import type { RateLimitName } from '@flotilla/contract/rate-limits.ts';
import type { Response } from 'express';

/** A limit of the caller, and how much of it is left. */
export interface RateLimit {
  name: RateLimitName;
  quota: number;
  remaining: number;
  /** Null for a limit of what runs at once: it is free again when something ends. */
  window: { seconds: number; resetInS: number } | null;
}

/**
 * Shows limits of the caller in the answer, an error's too, as draft-ietf-httpapi-ratelimit-headers-10 writes them. Limits that callers
 * share are not shown: they would tell what others do.
 */
export function showRateLimits(response: Response, limits: readonly RateLimit[]): void {
  if (limits.length === 0 || response.headersSent) return;
  const shown: Map<RateLimitName, RateLimit> = response.locals.rateLimits ?? new Map();
  response.locals.rateLimits = shown;
  for (const limit of limits) shown.set(limit.name, limit);
  const all = [...shown.values()];
  response.setHeader('RateLimit-Policy', all.map(policyOf).join(', '));
  response.setHeader('RateLimit', all.map(leftOf).join(', '));
}

function policyOf({ name, quota, window }: RateLimit): string {
  return `"${name}";q=${quota};${window === null ? 'qu="concurrent-requests"' : `w=${window.seconds}`}`;
}

function leftOf({ name, remaining, window }: RateLimit): string {
  const left = `"${name}";r=${Math.max(0, remaining)}`;
  return window === null ? left : `${left};t=${Math.max(0, Math.ceil(window.resetInS))}`;
}
