import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { linesOf } from '../src/screens/add-bot/libraries.ts';
import { type Program, TOKEN } from '../src/screens/add-bot/programs/program.ts';
import { linesWithRoot, PROGRAMS } from '../src/screens/add-bot/programs/programs.ts';

const ROOT = 'http://your-host:8080/tgapi';
const IN_FILES = PROGRAMS.filter(({ steps }) => steps(ROOT).some(({ say }) => say === 'file'));
const SERVICES = PROGRAMS.filter((program) => !IN_FILES.includes(program));

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const codesOf = ({ steps }: Program) => steps(ROOT).flatMap(({ code }) => (code ? [code.text] : []));
/** A line of the page may stand in several lines of a program. */
const packed = (text: string) => text.replace(/[\s;]+/g, '').replaceAll(',)', ')');

const page = read('docs/recipes/libraries.md');
const table = page.slice(page.indexOf('| Library | The line to change |')).split('\n\n')[0]!;
const rows = table
  .split('\n')
  .slice(2)
  .map((row) => /^\| (.*) \| `(.*)` \|$/.exec(row)!.slice(1) as [string, string]);

test('each line to change that the documents show is of a program that the console shows, or of an older version there', () => {
  const programs = IN_FILES.flatMap(codesOf).map(packed);
  const older = linesOf(ROOT).map(([, line]) => packed(line));
  const unknown = rows.filter(([, line]) => ![...programs, ...older].some((text) => text.includes(packed(line))));
  expect(unknown).toEqual([]);
  expect(rows).toHaveLength(IN_FILES.length + older.length);
});

test.each(IN_FILES)('the program of $name has lines with the API root, and no token', (program) => {
  const [, file] = codesOf(program);
  expect(linesWithRoot(file!, ROOT).length).toBeGreaterThan(0);
  expect(codesOf(program).filter((text) => text.includes(TOKEN))).toHaveLength(1);
});

test.each(SERVICES)('the recipe of $name has all that the console shows to copy', ({ id, steps }) => {
  const recipe = read(`docs/recipes/${id}.md`);
  const shown = steps(ROOT).flatMap(({ code, fields = [] }) => [
    ...(code ? [code.text.trimEnd().replaceAll(TOKEN, '<token>')] : []),
    ...fields.flatMap(([label, value]) => [label, value === TOKEN ? label : value]),
  ]);
  expect(shown.filter((text) => !recipe.includes(text))).toEqual([]);
});
