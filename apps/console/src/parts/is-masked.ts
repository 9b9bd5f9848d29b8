const MASK = '****';

/** True if the text has a part that the api hides from sessions: saved, it would replace what it stands for. */
export function isMasked(text: string): boolean {
  return text.includes(MASK);
}
