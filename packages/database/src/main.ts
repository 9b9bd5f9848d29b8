import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { runMigrations } from './run-migrations.ts';

runMain('migrate', async () => {
  await runMigrations();
  return { stop: async () => {} };
});
