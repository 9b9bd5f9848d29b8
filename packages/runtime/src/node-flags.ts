/**
 * The Node flags for one of our programs. By default, waiting polls let the young generation of an api's heap grow to
 * 128 MB. Twice the size given here holds the garbage of calls, and it is collected no more slowly.
 */
export function nodeFlags(program: string): string[] {
  return program === 'api' ? ['--max-semi-space-size=16'] : [];
}
