import { type Fields, readObject, readText } from './platform-fields.ts';

/** What a message says: its text, its caption, or the plain text of a rich message, a block a line. */
export function readMessageText(message: Fields): string | null {
  return readText(message, 'text') ?? readText(message, 'caption') ?? readRichText(message);
}

// What is read of a block, in the order it is shown, and what stands between the parts of a list there: the pieces of
// one text run on, cells, items and blocks stand on lines of their own.
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
  if (Array.isArray(node)) return node.map((part) => plainText(part, separator)).join(separator);
  if (typeof node !== 'object' || node === null) return '';
  const parts = RICH_FIELDS.map(([field, between]) => plainText((node as Fields)[field], between));
  return parts.filter((part) => part !== '').join('\n');
}
