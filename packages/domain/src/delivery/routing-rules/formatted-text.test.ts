import { describe, expect, test } from '@jest/globals';
import { joinTexts, splitText } from './formatted-text.ts';

const bold = (offset: number, length: number) => ({ type: 'bold', offset, length });

describe('a text with entities', () => {
  test('joined to another keeps every entity in its place, counted in UTF-16 units', () => {
    const joined = joinTexts({ text: '🌊 ', entities: [bold(0, 2)] }, { text: '👍 up', entities: [bold(3, 2)] });
    expect(joined).toEqual({ text: '🌊 👍 up', entities: [bold(0, 2), bold(6, 2)] });
  });

  test('is cut at the end of a line, else of a word, and its entities with it', () => {
    const whole = { text: 'one two\nthree four five', entities: [bold(4, 9)] };
    expect(splitText(whole, 12, 8)).toEqual([
      { text: 'one two\n', entities: [bold(4, 4)] },
      { text: 'three ', entities: [bold(0, 5)] },
      { text: 'four ', entities: [] },
      { text: 'five', entities: [] },
    ]);
  });

  test('without a space is cut between characters, never through one', () => {
    const pieces = splitText({ text: 'a🌊🌊🌊', entities: [] }, 4, 4);
    expect(pieces.map((piece) => piece.text)).toEqual(['a🌊', '🌊🌊']);
  });

  test('loses nothing, and no piece is too long', () => {
    const text = Array.from({ length: 3000 }, (_, at) => `${at}${at % 7 === 0 ? '\n' : ' '}`).join('');
    const pieces = splitText({ text, entities: [bold(0, text.length)] }, 1024);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces[0]!.text.length).toBeLessThanOrEqual(1024);
    for (const { text: piece, entities } of pieces) {
      expect(piece.length).toBeLessThanOrEqual(4096);
      expect(entities).toEqual([bold(0, piece.length)]);
    }
  });
});
