import type { MessageResource as Message } from '@flotilla/contract/messages.ts';

type Entity = NonNullable<Message['entities']>[number];
/** A text with its entities, or where its formatting is wrong. */
export type Formatted = { text: string; entities: Entity[] } | { wrongAt: number };
type Open = { mark: string; entity: Entity };
type Reading = { source: string; at: number; text: string; entities: Entity[]; open: Open[] };

const TAGS: Readonly<Record<string, string>> = {
  ...{ b: 'bold', strong: 'bold', i: 'italic', em: 'italic', u: 'underline', ins: 'underline' },
  ...{ s: 'strikethrough', strike: 'strikethrough', del: 'strikethrough', 'tg-spoiler': 'spoiler', span: 'spoiler' },
  ...{ code: 'code', pre: 'pre', blockquote: 'blockquote', a: 'text_link', 'tg-emoji': 'custom_emoji' },
};
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const MARKS = [
  ['||', 'spoiler'],
  ['__', 'underline'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strikethrough'],
] as const;
const RESERVED = '_*[]()~`>#+-=|{}.!';

/** A text as the platform formats it. Its rules: https://core.telegram.org/bots/api#formatting-options */
export function readFormatted(source: string, parseMode: unknown): Formatted {
  const read = { HTML: readTag, MarkdownV2: readMark }[String(parseMode)];
  if (read === undefined) return { text: source, entities: [] };
  const reading: Reading = { source, at: 0, text: '', entities: [], open: [] };
  while (reading.at < source.length) {
    const before = reading.at;
    if (!read(reading)) return { wrongAt: before };
  }
  if (reading.open.length > 0) return { wrongAt: source.length };
  const entities = reading.entities.filter(({ length }) => length > 0);
  return { text: reading.text, entities: entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length) };
}

/** Each reads the next piece of a text; false: it is wrong there. */
function readTag(reading: Reading): boolean {
  const { source, at } = reading;
  if (source[at] === '&') return write(reading, ...decoded(source.slice(at, at + 12)));
  if (source[at] !== '<') return write(reading, source[at]!, 1);
  const end = source.indexOf('>', at);
  if (end < 0) return false;
  const inside = source.slice(at + 1, end);
  reading.at = end + 1;
  if (inside.startsWith('/')) return close(reading, inside.slice(1).trim().toLowerCase());
  const mark = (/^[^\s/]+/.exec(inside)?.[0] ?? '').toLowerCase();
  const type = TAGS[mark];
  if (type === undefined) return false;
  const [url, emoji] = [attribute(inside, 'href'), attribute(inside, 'emoji-id')];
  const extra = mark === 'a' ? { url } : mark === 'tg-emoji' ? { custom_emoji_id: emoji } : {};
  reading.open.push({ mark, entity: { type, offset: reading.text.length, length: 0, ...extra } });
  return true;
}

function readMark(reading: Reading): boolean {
  const { source, at, open } = reading;
  const rest = source.slice(at);
  const escaped = /^\\([!-~ ])/.exec(rest)?.[1];
  if (escaped !== undefined) return write(reading, escaped, 2);
  if (rest.startsWith('`')) return readCode(reading, rest);
  const link = /^\]\(((?:[^)\\]|\\.)*)\)/.exec(rest);
  if (rest.startsWith(']') && open.at(-1)?.mark === '[') {
    open.at(-1)!.entity.url = (link?.[1] ?? '').replace(/\\(.)/g, '$1');
    reading.at += link?.[0].length ?? 1;
    return close(reading, '[');
  }
  if (rest.startsWith('[') || rest.startsWith('![')) return begin(reading, '[', 'text_link', rest.indexOf('[') + 1);
  if (rest.startsWith('>') && (at === 0 || source[at - 1] === '\n')) return readQuote(reading, rest);
  const [mark, type] = MARKS.find(([one]) => rest.startsWith(one)) ?? [];
  if (mark !== undefined && open.at(-1)?.mark === mark) {
    reading.at += mark.length;
    return close(reading, mark);
  }
  if (mark !== undefined) return begin(reading, mark, type!, mark.length);
  return !RESERVED.includes(rest[0]!) && write(reading, rest[0]!, 1);
}

function readCode(reading: Reading, rest: string): boolean {
  const found = /^```(?:([^\s`]+)(?=\n))?\n?((?:[^`\\]|\\[\s\S]|`(?!``))*)```|^`((?:[^`\\]|\\[\s\S])*)`/.exec(rest);
  if (found === null) return false;
  const [whole, language, block, line] = found;
  const inner = (block ?? line ?? '').replace(/\\([`\\])/g, '$1');
  const place = { offset: reading.text.length, length: inner.length };
  reading.entities.push({ type: block === undefined ? 'code' : 'pre', ...place, ...(language && { language }) });
  return write(reading, inner, whole.length);
}

/** Lines after one another that begin with `>`. */
function readQuote(reading: Reading, rest: string): boolean {
  const [lines] = /^(?:>[^\n]*(?:\n|$))+/.exec(rest)!;
  const inner = readFormatted(lines.replace(/^>/gm, ''), 'MarkdownV2');
  if ('wrongAt' in inner) return false;
  const offset = reading.text.length;
  const moved = inner.entities.map((entity) => ({ ...entity, offset: entity.offset + offset }));
  const length = inner.text.trimEnd().length;
  reading.entities.push({ type: 'blockquote', offset, length }, ...moved);
  return write(reading, inner.text, lines.length);
}

function begin(reading: Reading, mark: string, type: string, length: number): boolean {
  reading.open.push({ mark, entity: { type, offset: reading.text.length, length: 0 } });
  reading.at += length;
  return true;
}

function close({ open, entities, text }: Reading, mark: string): boolean {
  const last = open.pop();
  if (last?.mark !== mark) return false;
  entities.push({ ...last.entity, length: text.length - last.entity.offset });
  return true;
}

function write(reading: Reading, text: string, length: number): true {
  reading.text += text;
  reading.at += length;
  return true;
}

function attribute(inside: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(inside);
  const raw = found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
  return raw.replace(/&(lt|gt|amp|quot);/g, (_, named: string) => NAMED[named]!);
}

function decoded(rest: string): [text: string, length: number] {
  const found = /^&(?:#x([0-9a-f]+)|#(\d+)|(lt|gt|amp|quot));?/i.exec(rest);
  if (found === null) return ['&', 1];
  const [whole, hex, decimal, named] = found;
  if (named !== undefined) return [NAMED[named.toLowerCase()]!, whole.length];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return [String.fromCodePoint(Math.min(code, 0x10ffff)), whole.length];
}
