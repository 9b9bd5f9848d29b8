/**
 * By default V8's young generation begins at 1 MB, which is collected a dozen times during a start, and grows to 128 MB
 * under load. Two spaces of 8 MB hold the garbage of the work in flight. With 16 MB a process is 15 to 20 MB larger, and
 * no faster.
 */
const YOUNG = ['--min-semi-space-size=8', '--max-semi-space-size=8'];

/**
 * Objects that live as long as a request or a poll often reach the old generation, of which 30 MB is in use. By default
 * it is first collected at some 300 MB; here at 40 MB, and then at 1.6 times what was in use.
 */
const OLD = ['--initial-old-space-size=40', '--heap-growing-percent=60'];

/** The Node flags for one of our programs. */
export function nodeFlags(program: string): string[] {
  return program === 'api' || program === 'worker' ? [...YOUNG, ...OLD] : [];
}
