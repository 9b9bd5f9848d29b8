import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ROOT } from './bootstrap.mjs';
import { entryOf } from './release/changelog.mjs';

// node scripts/release-notes.mjs <tag>: checks that the tag is the release of this checkout, and prints what CHANGELOG.md says of it.

const [tag] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
if (tag !== `v${version}`) fail(`This checkout is the release ${version}, and the tag is ${tag}.`);
const entry = entryOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
process.stdout.write(`${entry ?? fail(`CHANGELOG.md says nothing of ${version}.`)}\n`);
