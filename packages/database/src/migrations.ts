import * as tables from './migrations/20261127T000000-tables.ts';
import type { SchemaStep } from './schema-step.ts';

/** Every migration by name, in order. A merged one is never edited: expand first, contract in a later one. */
export const migrations: Record<string, SchemaStep> = {
  '20261127T000000-tables': tables,
};
