import { badRequest } from '../bot-api-error.ts';
import { withScheme } from './parse-html.ts';
import { type FormattedText, sortEntities, type TextEntity } from './text-entity.ts';

/** Parses the legacy parse_mode Markdown: marks do not nest, and `\` escapes only `_*`[`. */
export function parseMarkdown(source: string): FormattedText {
  const entities: TextEntity[] = [];
  let text = '';
  for (let at = 0; at < source.length; ) {
    const char = source[at]!;
    if (char === '\\' && '_*`['.includes(source[at + 1] ?? ' ')) {
      text += source[at + 1];
      at += 2;
      continue;
    }
    if (!'_*`['.includes(char)) {
      text += char;
      at += 1;
      continue;
    }
    const piece = readPiece(source, at);
    if (piece.text.length > 0) entities.push({ ...piece.entity, offset: text.length, length: piece.text.length });
    text += piece.text;
    at = piece.end;
  }
  return { text, entities: sortEntities(entities) };
}

type Piece = { text: string; entity: { type: string; url?: string; language?: string }; end: number };

function readPiece(source: string, at: number): Piece {
  if (source.startsWith('```', at)) return readPre(source, at);
  const char = source[at]!;
  const end = source.indexOf(char === '[' ? ']' : char, at + 1);
  if (end < 0) throw unclosed(source, at);
  const inner = source.slice(at + 1, end);
  if (char !== '[')
    return { text: inner, entity: { type: { _: 'italic', '*': 'bold', '`': 'code' }[char]! }, end: end + 1 };
  const urlEnd = source[end + 1] === '(' ? source.indexOf(')', end) : -1;
  if (urlEnd < 0) return { text: inner, entity: { type: 'text_link', url: withScheme(inner) }, end: end + 1 };
  return {
    text: inner,
    entity: { type: 'text_link', url: withScheme(source.slice(end + 2, urlEnd)) },
    end: urlEnd + 1,
  };
}

function readPre(source: string, at: number): Piece {
  const end = source.indexOf('```', at + 3);
  if (end < 0) throw unclosed(source, at);
  const body = source.slice(at + 3, end);
  const language = /^([a-z0-9+#_.-]+)\n/i.exec(body)?.[1];
  const inner = language === undefined ? body.replace(/^\n/, '') : body.slice(language.length + 1);
  return { text: inner, entity: { type: 'pre', ...(language !== undefined && { language }) }, end: end + 3 };
}

function unclosed(source: string, at: number): Error {
  const offset = Buffer.byteLength(source.slice(0, at));
  return badRequest(`can't parse entities: Can't find end of the entity starting at byte offset ${offset}`);
}
