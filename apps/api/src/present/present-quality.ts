import type { Quality } from '@flotilla/domain/records/activity/reader-counts.ts';

/** How attempts went, as readers and programs show it. */
export function presentQuality(quality: Quality | null): { success_ratio?: number; p95_ms?: number } {
  return quality === null ? {} : { success_ratio: quality.success_ratio, p95_ms: quality.p95_ms };
}
