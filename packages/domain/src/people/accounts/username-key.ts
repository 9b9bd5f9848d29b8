/**
 * The form by which usernames are unique, looked up and counted: NFKC and Unicode's case folding. JavaScript folds case
 * by lower, upper and lower case in sequence. Applied to a key, it returns the key.
 */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
