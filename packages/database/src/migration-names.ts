import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * The names of this release's migrations, in order. A process that only needs the names does not load the migrations.
 * scripts/programs/bundle.mjs replaces this module by its value.
 */
export const migrationNames: string[] = readdirSync(join(import.meta.dirname, 'migrations'))
  .map((file) => basename(file, '.ts'))
  .sort();
