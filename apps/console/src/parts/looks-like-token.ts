/** True for the form in which the platform issues tokens; whether it is one, only the platform knows. */
export function looksLikeToken(text: string): boolean {
  return /^[1-9]\d{0,15}:[A-Za-z0-9_-]{1,80}$/.test(text.trim());
}
