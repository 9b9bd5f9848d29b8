/**
 * The form that usernames are kept unique, looked up and counted by: NFKC and Unicode's case folding, which JavaScript
 * has as lower, upper and lower case again. The key of a key is itself.
 */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
