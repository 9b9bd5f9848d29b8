import { badRequest } from '../bot-api-error.ts';
import { type FormattedText, sortEntities, type TextEntity } from './text-entity.ts';

const TAGS: Record<string, string> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  'tg-emoji': 'custom_emoji',
  a: 'text_link',
  span: 'spoiler',
};
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

type OpenTag = { tag: string; entity: TextEntity; byteOffset: number };

/** Parses parse_mode HTML. */
export function parseHtml(source: string): FormattedText {
  const entities: TextEntity[] = [];
  const open: OpenTag[] = [];
  let text = '';
  for (let at = 0; at < source.length; ) {
    const char = source[at]!;
    if (char === '&') {
      const decoded = decodeReference(source, at);
      text += decoded.text;
      at = decoded.end;
    } else if (char !== '<') {
      text += char;
      at += 1;
    } else {
      const end = source.indexOf('>', at);
      if (end < 0) throw fail(`Unclosed start tag at byte offset ${bytesBefore(source, at)}`);
      const inside = source.slice(at + 1, end);
      if (inside.startsWith('/'))
        closeTag(inside.slice(1).trim().toLowerCase(), open, entities, text, bytesBefore(source, at));
      else open.push(openTag(inside, text.length, bytesBefore(source, at), open));
      at = end + 1;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw fail(`Can't find end tag corresponding to start tag "${unclosed.tag}"`);
  return { text, entities: sortEntities(mergePre(entities)) };
}

function openTag(inside: string, offset: number, byteOffset: number, open: OpenTag[]): OpenTag {
  const tag = (/^[^\s/]+/.exec(inside)?.[0] ?? '').toLowerCase();
  const type = TAGS[tag];
  const spoiler = tag !== 'span' || attribute(inside, 'class') === 'tg-spoiler';
  if (type === undefined) throw fail(`Unsupported start tag "${tag}" at byte offset ${byteOffset}`);
  if (!spoiler) throw fail(`Tag "span" must have class "tg-spoiler" at byte offset ${byteOffset}`);
  const entity: TextEntity = { type, offset, length: 0 };
  if (tag === 'a') entity.url = attribute(inside, 'href');
  if (tag === 'tg-emoji') entity.custom_emoji_id = attribute(inside, 'emoji-id');
  if (tag === 'blockquote' && /\sexpandable\b/.test(inside)) entity.type = 'expandable_blockquote';
  const language = /^language-(.+)/.exec(attribute(inside, 'class'))?.[1];
  if (tag === 'code' && open.at(-1)?.tag === 'pre' && language !== undefined) entity.language = language;
  return { tag, entity, byteOffset };
}

function closeTag(tag: string, open: OpenTag[], entities: TextEntity[], text: string, byteOffset: number): void {
  const last = open.pop();
  if (last === undefined) throw fail(`Unexpected end tag at byte offset ${byteOffset}`);
  if (tag !== '' && tag !== last.tag) {
    throw fail(`Unmatched end tag at byte offset ${byteOffset}, expected "</${last.tag}>", found "</${tag}>"`);
  }
  const entity = { ...last.entity, length: text.length - last.entity.offset };
  if (entity.type === 'text_link') {
    const url = entity.url || text.slice(entity.offset);
    const personId = /^tg:\/\/user\?id=(\d+)/.exec(url)?.[1];
    if (personId !== undefined) {
      entities.push({
        type: 'text_mention',
        offset: entity.offset,
        length: entity.length,
        user: { id: Number(personId) },
      });
      return;
    }
    entity.url = withScheme(url);
  }
  entities.push(entity);
}

/** Merges `<pre><code class="language-x">` into one entity. */
function mergePre(entities: TextEntity[]): TextEntity[] {
  const codes = entities.filter((entity) => entity.type === 'code' && entity.language !== undefined);
  for (const code of codes) {
    const pre = entities.find((one) => one.type === 'pre' && one.offset === code.offset && one.length === code.length);
    if (pre !== undefined && code.language !== undefined) pre.language = code.language;
  }
  return entities.filter((entity) => !codes.includes(entity));
}

/** Adds a missing scheme, and a slash after a bare host, as the platform shows links. */
export function withScheme(url: string): string {
  const full = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`;
  return /^https?:\/\/[^/?#]+$/i.test(full) ? `${full}/` : full;
}

function attribute(inside: string, name: string): string {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(inside);
  const raw = match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
  return raw.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => NAMED[name]!);
}

function decodeReference(source: string, at: number): { text: string; end: number } {
  const match = /^&(?:#x([0-9a-f]+)|#(\d+)|(lt|gt|amp|quot));?/i.exec(source.slice(at, at + 12));
  if (match === null) return { text: '&', end: at + 1 };
  const code = match[1] !== undefined ? Number.parseInt(match[1], 16) : Number(match[2] ?? 0);
  const text = match[3] !== undefined ? NAMED[match[3].toLowerCase()]! : String.fromCodePoint(Math.min(code, 0x10ffff));
  return { text, end: at + match[0].length };
}

function bytesBefore(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}

function fail(reason: string): Error {
  return badRequest(`can't parse entities: ${reason}`);
}
