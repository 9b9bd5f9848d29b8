import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareRelease } from './prepare-release.mjs';

// node scripts/release/main.mjs <version> [--dry-run] [--root <checkout>]: sets the version everywhere, dates its entry in
// CHANGELOG.md, and makes the commit and the tag. It pushes nothing. With --dry-run it says what it would change.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    root: { type: 'string', default: resolve(import.meta.dirname, '../..') },
  },
});
const [version = ''] = positionals;
const dryRun = values['dry-run'];
const { faults, changed, tag } = prepareRelease(values.root, version, { dryRun, date: new Date() });
if (faults.length > 0) {
  process.stderr.write(`Not released:\n  ${faults.join('\n  ')}\n`);
  process.exitCode = 1;
} else if (dryRun) process.stdout.write(`${tag} would change:\n  ${changed.join('\n  ')}\n`);
else process.stdout.write(`${tag} is tagged. To publish it: git push origin main ${tag}\n`);
