import { badRequest } from '../bot-api-error.ts';
import { withScheme } from './parse-html.ts';
import { type FormattedText, sortEntities, type TextEntity } from './text-entity.ts';

const RESERVED = '_*[]()~`>#+-=|{}.!';
const MARKS: [mark: string, type: string][] = [
  ['||', 'spoiler'],
  ['__', 'underline'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strikethrough'],
];

type Open = { mark: string; type: string; offset: number; sourceAt: number };
type State = { source: string; at: number; text: string; entities: TextEntity[]; open: Open[] };

/** Parses parse_mode MarkdownV2: marks may nest, and reserved characters must be escaped. */
export function parseMarkdownV2(source: string): FormattedText {
  const state: State = { source, at: 0, text: '', entities: [], open: [] };
  while (state.at < source.length) step(state);
  const unclosed = state.open.at(-1);
  if (unclosed !== undefined) {
    const name = unclosed.type.charAt(0).toUpperCase() + unclosed.type.slice(1);
    throw fail(`Can't find end of ${name} entity at byte offset ${bytesBefore(source, unclosed.sourceAt)}`);
  }
  return { text: state.text, entities: sortEntities(state.entities) };
}

function step(state: State): void {
  const { source, at } = state;
  const char = source[at]!;
  if (char === '\\' && source[at + 1] !== undefined && source.charCodeAt(at + 1) < 127) {
    state.text += source[at + 1];
    state.at += 2;
  } else if (char === '`') readCode(state);
  else if (char === '[' || source.startsWith('![', at)) openLink(state);
  else if (char === ']' && state.open.at(-1)?.type === 'text_link') closeLink(state);
  else if (char === '>' && (at === 0 || source[at - 1] === '\n')) readQuote(state);
  else if (!toggleMark(state)) {
    if (RESERVED.includes(char)) {
      throw fail(`Character '${char}' is reserved and must be escaped with the preceding '\\'`);
    }
    state.text += char;
    state.at += 1;
  }
}

function toggleMark(state: State): boolean {
  const found = MARKS.find(([mark]) => state.source.startsWith(mark, state.at));
  if (found === undefined) return false;
  const [mark, type] = found;
  const last = state.open.at(-1);
  if (last?.mark === mark) {
    state.open.pop();
    state.entities.push({ type, offset: last.offset, length: state.text.length - last.offset });
  } else state.open.push({ mark, type, offset: state.text.length, sourceAt: state.at });
  state.at += mark.length;
  return true;
}

function readCode(state: State): void {
  const fence = state.source.startsWith('```', state.at) ? '```' : '`';
  const close = new RegExp(`(?<!\\\\)(?:\\\\\\\\)*${fence}`, 'g');
  close.lastIndex = state.at + fence.length;
  const match = close.exec(state.source);
  if (match === null) {
    const name = fence === '`' ? 'Code' : 'Pre';
    throw fail(`Can't find end of ${name} entity at byte offset ${bytesBefore(state.source, state.at)}`);
  }
  const end = match.index + match[0].length - fence.length;
  let inner = state.source.slice(state.at + fence.length, end).replace(/\\([`\\])/g, '$1');
  const entity: TextEntity = { type: fence === '`' ? 'code' : 'pre', offset: state.text.length, length: 0 };
  if (fence === '```') {
    const language = /^([^\s`]+)\n/.exec(inner)?.[1];
    if (language !== undefined) entity.language = language;
    inner = language === undefined ? inner.replace(/^\n/, '') : inner.slice(language.length + 1);
  }
  state.text += inner;
  state.entities.push({ ...entity, length: inner.length });
  state.at = end + fence.length;
}

function openLink(state: State): void {
  const mark = state.source[state.at] === '!' ? '![' : '[';
  state.open.push({ mark, type: 'text_link', offset: state.text.length, sourceAt: state.at });
  state.at += mark.length;
}

function closeLink(state: State): void {
  const open = state.open.pop()!;
  const match = /^\]\(((?:[^)\\]|\\.)*)\)/.exec(state.source.slice(state.at));
  const url = match?.[1]?.replace(/\\(.)/g, '$1') ?? state.text.slice(open.offset);
  const place = { offset: open.offset, length: state.text.length - open.offset };
  const personId = /^tg:\/\/user\?id=(\d+)/.exec(url)?.[1];
  const emojiId = /^tg:\/\/emoji\?id=(\d+)/.exec(url)?.[1];
  if (open.mark === '![' && emojiId !== undefined) {
    state.entities.push({ type: 'custom_emoji', ...place, custom_emoji_id: emojiId });
  } else if (personId !== undefined)
    state.entities.push({ type: 'text_mention', ...place, user: { id: Number(personId) } });
  else state.entities.push({ type: 'text_link', ...place, url: withScheme(url) });
  state.at += match?.[0].length ?? 1;
}

/** Reads a block quotation: consecutive lines that begin with `>`. */
function readQuote(state: State): void {
  const lines = /^(?:>[^\n]*(?:\n|$))+/.exec(state.source.slice(state.at))![0];
  const inner = parseMarkdownV2(lines.replace(/^>/gm, ''));
  const offset = state.text.length;
  state.entities.push(...inner.entities.map((entity) => ({ ...entity, offset: entity.offset + offset })));
  state.text += inner.text;
  state.entities.push({ type: 'blockquote', offset, length: inner.text.replace(/\n$/, '').length });
  state.at += lines.length;
}

function bytesBefore(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}

function fail(reason: string): Error {
  return badRequest(`can't parse entities: ${reason}`);
}
