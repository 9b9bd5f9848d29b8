import type { Fields } from '@flotilla/telegram/platform-fields.ts';

/** A text with its entities; offsets and lengths count UTF-16 units, as the platform's do. */
export type FormattedText = { text: string; entities: Fields[] };

/** The greatest lengths of a message's text and of a caption at the platform. */
export const LONGEST_TEXT = 4096;
export const LONGEST_CAPTION = 1024;

/** Joins two texts and moves the entities of the second one along. */
export function joinTexts(first: FormattedText, second: FormattedText): FormattedText {
  return {
    text: first.text + second.text,
    entities: [...first.entities, ...second.entities.map((entity) => shift(entity, first.text.length))],
  };
}

/**
 * Cuts a text into pieces, the first of at most `firstLimit`, the others of at most `limit`: at the end of a line, else
 * of a word, else between characters. An entity that is cut continues in the next piece.
 */
export function splitText(whole: FormattedText, firstLimit: number, limit = LONGEST_TEXT): FormattedText[] {
  const pieces: FormattedText[] = [];
  let from = 0;
  while (from < whole.text.length) {
    const most = pieces.length === 0 ? firstLimit : limit;
    const end =
      whole.text.length - from <= most ? whole.text.length : from + cutAt(whole.text.slice(from, from + most));
    const piece = cutOut(whole, from, end);
    if (piece.text.trim() !== '') pieces.push(piece);
    from = end;
  }
  return pieces;
}

/** The length of the next piece of a text that is too long. */
function cutAt(longest: string): number {
  const atLeast = longest.length / 2;
  for (const separator of ['\n', ' ']) {
    const at = longest.lastIndexOf(separator);
    if (at >= atLeast) return at + 1;
  }
  const code = longest.charCodeAt(longest.length - 1);
  const halvesPair = code >= 0xd800 && code <= 0xdbff;
  return halvesPair ? longest.length - 1 : longest.length;
}

function cutOut({ text, entities }: FormattedText, from: number, end: number): FormattedText {
  const inside = entities.flatMap((entity) => {
    const start = Math.max(Number(entity.offset), from);
    const stop = Math.min(Number(entity.offset) + Number(entity.length), end);
    return start < stop ? [{ ...entity, offset: start - from, length: stop - start }] : [];
  });
  return { text: text.slice(from, end), entities: inside };
}

function shift(entity: Fields, by: number): Fields {
  return { ...entity, offset: Number(entity.offset) + by };
}
