import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const SRC = join(import.meta.dirname, '../src');
const DECLARATION =
  /(?<=[{;\s])((?:row-|column-)?gap|(?:scroll-)?(?:margin|padding)[a-z-]*|font-size|font)\s*:\s*([^;{}]+)/g;
/** Also what lies over the edge of a screen, and what a finger needs. */
const STEP = /var\(--(space-[1-6]|text-[1-6]|screen-bar|touch)\)/g;
/** Beside the steps: nothing, a line, and what grows with the window or with the text itself. */
const FREE = /^(0|1|-1|2|auto|inherit|1px|[\d.]+(%|vh|em|ch|lh))$/;

test('every distance and every size of text is a step of the scales in theme.css', async () => {
  const names = (await readdir(SRC, { recursive: true })).filter((name) => name.endsWith('.css'));
  expect(names.length).toBeGreaterThan(20);
  const others: string[] = [];
  for (const name of names) {
    const css = (await readFile(join(SRC, name), 'utf8')).replace(/\/\*.*?\*\//gs, '').replace(/"[^"]*"/g, 'quoted');
    for (const [, property = '', value = ''] of css.matchAll(DECLARATION)) {
      const sizes = value
        .replace(/\s+/g, ' ')
        .replace(STEP, '')
        .replace('!important', '')
        .replace(/env\([^)]*\)|calc|[()+*]| [/-] /g, ' ');
      const isFont = property === 'font';
      const own = sizes.split(' ').filter((one) => one !== '' && !FREE.test(one) && !(isFont && isNoSize(one)));
      if (own.length > 0) others.push(`${name}: ${property}: ${value}`);
    }
  }
  expect(others).toEqual([]);
});

/** The height of a line and the names of families; the first size of all, which the others are shares of. */
function isNoSize(part: string): boolean {
  return /^(\/|[\d.]+|87\.5%|[a-z-]+,?)$/.test(part);
}
