import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { alertTables } from './alert-tables.mjs';
import { envExample } from './env-example.mjs';
import { helmValues } from './helm-values.mjs';
import { linkFaults } from './link-faults.mjs';
import { metricTables } from './metric-tables.mjs';
import { filesWithRepository, withRepository } from './repository-name.mjs';
import { chartSchema, settingNames } from './setting-names.mjs';
import { settingTables } from './setting-tables.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean' }, root: { type: 'string' } } });
const root = resolve(values.root ?? resolve(import.meta.dirname, '../..'));

const GENERATED = {
  'docs/operations/helm-values.md': helmValues,
  'docs/operations/settings.md': settingTables,
  'docs/operations/metrics.md': metricTables,
  'docs/operations/monitoring.md': alertTables,
};

const faults = [];
refresh('.env.example', envExample);
refresh('packages/runtime/src/setting-names.ts', () => settingNames(root));
refresh('infra/helm/flotilla/values.schema.json', chartSchema);
for (const [path, tables] of Object.entries(GENERATED)) {
  refresh(path, (text) =>
    Object.entries(tables(root)).reduce((filled, [name, table]) => filledIn(filled, path, name, table), text),
  );
}
for (const path of filesWithRepository(root)) refresh(path, (text) => withRepository(root, text));
faults.push(...linkFaults(root));
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
process.exitCode = faults.length === 0 ? 0 : 1;

function refresh(path, generate) {
  const before = readFileSync(resolve(root, path), 'utf8');
  const after = generate(before);
  if (after === before) return;
  if (values.check) faults.push(`${path} is stale: run npm run docs`);
  else writeFileSync(resolve(root, path), after);
}

/** Replaces the text between the two markers of this table. */
function filledIn(text, path, name, table) {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [before, rest, ...more] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined || more.length > 0) throw new Error(`${path}: needs "${begin}" and "${end}" once each`);
  return `${before}${begin}\n${table}\n${end}${after}`;
}
