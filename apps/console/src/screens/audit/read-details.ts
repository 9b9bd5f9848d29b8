/** A changed field, with what was and what is; null where the entry does not say. */
export type Change = { field: string; before: string | null; after: string | null };

const ARROW = ' → ';
const END = '; ';

/** Reads `field: old → new; other changed`. What has another form, such as `key 3`, is a field without values. */
export function readDetails(details: string): Change[] {
  return details === '' ? [] : split(details, END).map(readChange);
}

function readChange(part: string): Change {
  const named = /^([\w.]+): (.*)$/s.exec(part);
  if (named === null) {
    const hidden = /^([\w.]+) ((?:set|removed|changed))$/.exec(part);
    if (hidden === null) return { field: part, before: null, after: null };
    return { field: hidden[1]!, before: null, after: hidden[2]! };
  }
  const [before, after] = split(named[2]!, ARROW);
  return after === undefined
    ? { field: named[1]!, before: null, after: shown(before!) }
    : { field: named[1]!, before: shown(before!), after: shown(after) };
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

/** A text without its quotes; all else as it is. */
function shown(value: string): string {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'string' ? parsed : value;
  } catch {
    return value;
  }
}
