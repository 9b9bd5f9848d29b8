/** A reason without the token that may stand in it. */
export function hideToken(text: string, token: string): string {
  if (token === '') return text;
  return text.replaceAll(token, '<token>').replaceAll(encodeURIComponent(token), '<token>');
}

/** The token as a segment of a path; the colon stays, as every client sends it. */
export function encodeToken(token: string): string {
  return encodeURIComponent(token).replaceAll('%3A', ':');
}
