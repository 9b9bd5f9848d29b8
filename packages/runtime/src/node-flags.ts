/**
 * The Node flags for one of our programs. By default the young generation begins at 1 MB, so that a start collects it a
 * dozen times; from 16 MB on, hardly. By default, waiting polls let that of an api grow to 128 MB. Twice the size given
 * here holds the garbage of calls, and it is collected no more slowly.
 */
export function nodeFlags(program: string): string[] {
  if (program === 'api') return ['--min-semi-space-size=16', '--max-semi-space-size=16'];
  return program === 'worker' ? ['--min-semi-space-size=16'] : [];
}
