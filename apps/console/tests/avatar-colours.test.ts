import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const STYLES = join(import.meta.dirname, '../src/parts/avatar.css');
const PAIR = /light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);\s+color: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g;
/** WCAG 2.2, 1.4.3. */
const ENOUGH = 4.5;

test('initials stand out from their ground in both themes', async () => {
  const pairs = [...(await readFile(STYLES, 'utf8')).matchAll(PAIR)];
  expect(pairs).toHaveLength(7);
  for (const [, light, dark, onLight, onDark] of pairs) {
    expect([light, contrast(light!, onLight!) >= ENOUGH]).toEqual([light, true]);
    expect([dark, contrast(dark!, onDark!) >= ENOUGH]).toEqual([dark, true]);
  }
});

function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
