import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/**
 * node scripts/repeated-fields.mjs [--list]: how often the product carries fields from one name or shape to another. It fails when a
 * figure is above its limit; when one fell, lower the limit. `--list` names the places, and the fields with the files of each.
 *
 * both spellings: a property, a parameter, a variable, an attribute of JSX or a column of SQL that has one spelling of a name
 * (`chat_id`) and is given the other one (`chatId`).
 * files per field: nine in ten fields of the API document that have two words are named in so many files at most, in either
 * spelling.
 */
const LIMITS = { 'both spellings': 150, 'files per field': 30 };

const ROOT = join(import.meta.dirname, '..');
const NOT_PRODUCT = /\.(test|d)\.ts$|\/tests\/|^packages\/(bench|system-tests|testing)\//;

const camelOf = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const isPair = (one, other) => one !== other && (camelOf(one) === other || camelOf(other) === one);

function productFiles() {
  const listed = execFileSync('git', ['ls-files', 'packages', 'apps'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return listed.filter((path) => /\.tsx?$/.test(path) && !NOT_PRODUCT.test(path));
}

/** The names by which an expression gets its value: not those inside of objects and functions, which are places of their own. */
function* namesIn(node) {
  if (typeof node !== 'object' || node === null) return;
  if (/^(Object|Arrow|Function|JSX|Ts)/.test(node.type ?? '') && !EXPRESSIONS.has(node.type)) return;
  if (node.type === 'Identifier' && typeof node.value === 'string') yield node.value;
  // The name of a function that is called is no value.
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier') return yield* namesIn(node.arguments);
  for (const value of Object.values(node)) yield* namesIn(value);
}
const EXPRESSIONS = new Set([
  'TsAsExpression',
  'TsNonNullExpression',
  'TsSatisfiesExpression',
  'JSXExpressionContainer',
]);

/** The name that gets a value, and the value. */
function placeOf(node) {
  switch (node.type) {
    case 'KeyValueProperty':
    case 'KeyValuePatternProperty':
    case 'TsPropertySignature':
      return [node.key, node.value];
    case 'VariableDeclarator':
      return [node.id, node.init];
    case 'AssignmentExpression':
      return [node.left.property ?? node.left, node.right];
    case 'JSXAttribute':
      return [node.name, node.value];
    default:
      return null;
  }
}

const SQL_NAMES = [/([a-z]\w*)(?:\)|::\w+)* as "?([a-z]\w*)/g, /'([a-z]\w*)', (?:\w+\.)?([a-z]\w*)/g];

/** The places of a file, as `<name> ← <name>`. */
function* placesIn(node) {
  if (typeof node !== 'object' || node === null) return;
  const [takes, value] = placeOf(node) ?? [];
  const name = takes?.value;
  const given = typeof name === 'string' ? [...namesIn(value)].find((one) => isPair(name, one)) : undefined;
  if (given !== undefined) yield `${name} ← ${given}`;
  const text = node.type === 'TemplateElement' ? node.raw : node.type === 'StringLiteral' ? node.value : '';
  for (const [, one, other] of SQL_NAMES.flatMap((names) => [...text.matchAll(names)])) {
    if (isPair(one, other)) yield `${one} ← ${other}`;
  }
  for (const child of Object.values(node)) yield* placesIn(child);
}

/** All names of the API document that have two words: those of parameters, too. */
function fieldsOfApi() {
  const names = new Set();
  JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'), (_, value) => {
    for (const name of [value?.in && value.name, ...Object.keys(value?.properties ?? {})]) {
      if (/^[a-z]\w*_/.test(name)) names.add(name);
    }
    return value;
  });
  return [...names];
}

const files = productFiles().map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const places = files.flatMap(({ path, text }) => {
  const module = parseSync(text, { syntax: 'typescript', tsx: path.endsWith('x'), target: 'esnext' });
  return [...placesIn(module.body)].map((place) => `${path}: ${place}`);
});
const words = files.map(({ text }) => new Set(text.match(/\w+/g)));
const spread = fieldsOfApi()
  .map((name) => ({ name, files: words.filter((all) => all.has(name) || all.has(camelOf(name))).length }))
  .sort((one, other) => one.files - other.files);

if (process.argv.includes('--list')) {
  for (const place of places) console.log(place);
  for (const { name, files } of spread) console.log(`${name}: ${files} files`);
}
const figures = { 'both spellings': places.length, 'files per field': spread[Math.floor(spread.length * 0.9)].files };
for (const [figure, count] of Object.entries(figures)) console.log(`${figure}: ${count}, at most ${LIMITS[figure]}`);
process.exitCode = Object.entries(figures).some(([figure, count]) => count > LIMITS[figure]) ? 1 : 0;
