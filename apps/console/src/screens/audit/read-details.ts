/** A changed field, with what was and what is; undefined where the entry does not say. */
export type Change = { field: string; before: unknown; after: unknown; isInHiddenPart?: boolean };

const IN_HIDDEN_PART = ', in a part that is not shown';
const ARROW = ' → ';
const END = '; ';

/** Reads `field: old → new; other changed`. What has another form, such as `key 3`, is a field without values. */
export function readDetails(details: string): Change[] {
  return details === '' ? [] : split(details, END).flatMap(readChange);
}

function readChange(part: string): Change[] {
  const named = /^([\w.]+|[a-z][a-z ]+): (.*)$/s.exec(part);
  if (named === null) {
    const hidden = /^([\w.]+) (set|removed|changed)$/.exec(part);
    if (hidden === null) return [{ field: part, before: undefined, after: undefined }];
    return [{ field: hidden[1]!, before: undefined, after: new Hidden(hidden[2]!) }];
  }
  const [field, [before, after]] = [named[1]!, split(named[2]!, ARROW)];
  if (before!.endsWith(IN_HIDDEN_PART)) {
    const shown = valueIn(before!.slice(0, -IN_HIDDEN_PART.length));
    return [{ field, before: undefined, after: shown, isInHiddenPart: true }];
  }
  if (after === undefined) return ofFields(field, undefined, valueIn(before!));
  return ofFields(field, valueIn(before!), valueIn(after));
}

/** A value that the entry does not tell. */
export class Hidden {
  readonly how: string;
  constructor(how: string) {
    this.how = how;
  }
}

/** Entries of former releases have objects as a whole. */
function ofFields(field: string, before: unknown, after: unknown): Change[] {
  if (![before, after].some(hasFields)) return [{ field, before, after }];
  const [from, to] = [hasFields(before) ? before : {}, hasFields(after) ? after : {}];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
    .flatMap((name) => {
      const was = before === undefined ? undefined : (from[name] ?? null);
      return ofFields(`${field}.${name}`, was, to[name] ?? null);
    });
}

function hasFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

/** Splits outside of quotes. A value that was cut has no closing quote; its last character is `…`. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (quoted && text[at] === '\\') at += 1;
    else if (text[at] === '"') quoted = !quoted;
    else if (quoted && text[at] === '…' && isEnd(text.slice(at + 1))) quoted = false;
    if (quoted || !text.startsWith(separator, at)) continue;
    parts.push(text.slice(start, at));
    start = at + separator.length;
  }
  return [...parts, text.slice(start)];
}

function isEnd(rest: string): boolean {
  return rest === '' || rest.startsWith(ARROW) || rest.startsWith(END);
}

/** The value that a text stands for; a text that is no JSON stands for itself. */
function valueIn(text: string): unknown {
  return parsed(text) ?? (text.endsWith('…') ? ofCut(text.slice(0, -1)) : undefined) ?? (text === 'null' ? null : text);
}

function parsed(text: string): unknown {
  try {
    // The digits of a long id would change.
    return /^-?\d+$/.test(text) ? text : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The whole part of a text or a list that was cut. */
function ofCut(text: string): unknown {
  if (text.startsWith('"')) {
    // The cut may go through an escaped character.
    const whole = parsed(`${text.replace(/\\(u[\da-f]{0,3})?$/i, '')}"`);
    return typeof whole === 'string' ? `${whole}…` : undefined;
  }
  const end = text.lastIndexOf(',');
  const list = text.startsWith('[') && end > 0 ? parsed(`${text.slice(0, end)}]`) : undefined;
  return Array.isArray(list) ? [...list, '…'] : undefined;
}
