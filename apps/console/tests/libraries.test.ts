import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { linesOf } from '../src/screens/add-bot/libraries.ts';

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

test('the lines to change are those of the README, and each library that it names has one', () => {
  const rows = linesOf('http://your-host:8080/tgapi').map(([library, line]) => `| ${library} | \`${line}\` |`);
  const table = README.slice(README.indexOf('| Library | The line to change |')).split('\n\n')[0]!;
  expect(table.split('\n').slice(2)).toEqual(rows);
});
