/** Replaces the token in an error's reason. */
export function hideToken(text: string, token: string): string {
  if (token === '') return text;
  return text.replaceAll(token, '<token>').replaceAll(encodeURIComponent(token), '<token>');
}

/** The token as a path segment. The colon is not encoded, because no client encodes it. */
export function encodeToken(token: string): string {
  return encodeURIComponent(token).replaceAll('%3A', ':');
}
