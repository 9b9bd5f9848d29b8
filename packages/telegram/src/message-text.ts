import { type Fields, readObject, readText } from './platform-fields.ts';

/** The words of a message: its text, its caption, or the plain text of a rich message with one line per block. */
export function readMessageText(message: Fields): string | null {
  return readText(message, 'text') ?? readText(message, 'caption') ?? readRichText(message);
}

// The fields read of a block, in the order in which they are shown, and the separator between parts of a list: pieces
// of one text follow each other directly; cells, items and blocks get their own lines.
const RICH_FIELDS: [field: string, separator: string][] = [
  ['title', ''],
  ['text', ''],
  ['caption', ''],
  ['cells', '\n'],
  ['items', '\n'],
  ['blocks', '\n'],
];

function readRichText(message: Fields): string | null {
  const blocks = readObject(message, 'rich_message')?.blocks;
  const text = plainText(blocks, '\n').replaceAll('\u0000', '').trim();
  return text === '' ? null : text;
}

function plainText(node: unknown, separator: string): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node))
    return joined(
      node.map((part) => plainText(part, separator)),
      separator,
    );
  if (typeof node !== 'object' || node === null) return '';
  const parts = RICH_FIELDS.map(([field, between]) => plainText((node as Fields)[field], between));
  return joined(
    parts.filter((part) => part !== ''),
    '\n',
  );
}

/** Unlike `join` it copies nothing, or a text would be copied at each level above it. */
function joined(parts: string[], separator: string): string {
  return parts.reduce((all, part, at) => (at === 0 ? part : all + separator + part), '');
}
