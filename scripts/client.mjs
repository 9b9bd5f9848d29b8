import { bootstrap, fail, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/client.mjs [<folder>]: makes the npm package @flotilla/client there, from packages/client and docs/openapi.json. By default
// the folder is this checkout.

await bootstrap();
process.exitCode = await runOnPinnedNode([
  'scripts/client/main.mjs',
  process.env.npm_execpath ?? fail('Run it by npm: npm run client'),
  ...process.argv.slice(2),
]);
