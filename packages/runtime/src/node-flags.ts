/**
 * By default the young generation begins at 1 MB, so that a start collects it a dozen times. And load lets it grow to
 * 128 MB. Twice the size given here holds the garbage of what is being done. With 16 MB a process is 15 to 20 MB larger,
 * and no faster.
 */
const YOUNG = ['--min-semi-space-size=8', '--max-semi-space-size=8'];

/**
 * What lives as long as a request or a poll often gets into the old generation, of which 30 MB is in use. By default that is
 * first collected at some 300 MB, here at 40 MB and then at 1.6 times what was in use.
 */
const OLD = ['--initial-old-space-size=40', '--heap-growing-percent=60'];

/** The Node flags for one of our programs. */
export function nodeFlags(program: string): string[] {
  return program === 'api' || program === 'worker' ? [...YOUNG, ...OLD] : [];
}
