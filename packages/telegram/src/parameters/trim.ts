const SPACES = ' \t\r\n\0\v';

/** Removes what `td::trim` of the platform removes, and nothing else: `String.trim` also takes a no-break space. */
export function trim(text: string): string {
  const start = trimStart(text);
  let end = start.length;
  while (end > 0 && SPACES.includes(start[end - 1] as string)) end -= 1;
  return start.slice(0, end);
}

export function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && SPACES.includes(text[start] as string)) start += 1;
  return text.slice(start);
}
