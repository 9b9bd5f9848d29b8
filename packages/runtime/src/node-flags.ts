/**
 * By default V8's young generation begins at 1 MB, which is collected a dozen times during a start, and grows to 128 MB
 * under load. With up to 16 MB a worker's burst and a call through the proxy take about a tenth less processor time than
 * with 8 MB, and 15 MB more memory; with 32 MB a worker takes a fifth less, and 50 MB more (ADR 37).
 */
const YOUNG = ['--min-semi-space-size=8', '--max-semi-space-size=16'];

/**
 * Objects that live as long as a request or a poll often reach the old generation, of which 30 MB is in use. By default
 * it is first collected at some 300 MB; here at 40 MB, and then at 1.6 times what was in use.
 */
const OLD = ['--initial-old-space-size=40', '--heap-growing-percent=60'];

/** The Node flags for one of our programs. */
export function nodeFlags(program: string): string[] {
  return program === 'api' || program === 'worker' ? [...YOUNG, ...OLD] : [];
}

/**
 * For the environment of an api or a worker. Otherwise the C library (glibc) keeps several heaps for the threads of Node.
 * They took 5 to 13 MB more, and nothing was faster (ADR 37).
 */
export const NODE_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };
