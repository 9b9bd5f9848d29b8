import type { OpenProcess } from '@flotilla/domain/startup/open-process.ts';
import type { ServiceConfig } from '@flotilla/domain/startup/service-config.ts';

/** The dependencies of the checks of a running installation. `backupMaxAgeHours` 0: a backup may be of any age. */
export type DiagnosisDeps = OpenProcess & { config: ServiceConfig; backupMaxAgeHours: number };

const NAMED = 10;

/** The first of these ids, and how many more there are. */
export function named(ids: readonly (string | number)[]): string {
  const more = ids.length - NAMED;
  return `${ids.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
