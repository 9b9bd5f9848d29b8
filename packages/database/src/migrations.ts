import type { Migration } from 'kysely/migration';
import * as foundation from './migrations/20261120T120000-foundation.ts';

/** Every migration by name, in order. A merged one is never edited: expand first, contract in a later one. */
export const migrations: Record<string, Migration> = {
  '20261120T120000-foundation': foundation,
};
