/**
 * By default V8's young generation begins at 1 MB, which is collected a dozen times during a start, and grows to 128 MB
 * under load. Twice the room takes 10 to 20 % less processor time, and 15 MB more memory of an api, 25 of a worker
 * (ADR 37).
 */
const YOUNG = ['--min-semi-space-size=8'];
const YOUNG_AT_MOST = { api: ['--max-semi-space-size=16'], worker: ['--max-semi-space-size=32'] };

/**
 * By default V8 learns, for instance in a burst, which objects survive, and then makes such objects in the old generation
 * at once. At 1,000 updates/s that generation was then collected every second, and updates waited (ADR 37).
 */
const ALL_YOUNG_AT_FIRST = '--no-allocation-site-pretenuring';

/**
 * By default five threads collect young garbage together, and the event loop waits for the last of them to get a
 * processor. What a writer of the history has in use, 1 MB, one thread copies in 1 to 2 ms (ADR 44).
 */
const COLLECTED_BY = { api: [], worker: ['--no-parallel-scavenge'] };

/**
 * Objects that live as long as a request or a poll often reach the old generation, of which 30 MB is in use. By default
 * it is first collected at some 300 MB; here at 40 MB, and then at 1.6 times what was in use.
 */
const OLD = ['--initial-old-space-size=40', '--heap-growing-percent=60'];

/** The Node flags for one of our programs. */
export function nodeFlags(program: string): string[] {
  if (program !== 'api' && program !== 'worker') return [];
  return [...YOUNG, ...YOUNG_AT_MOST[program], ALL_YOUNG_AT_FIRST, ...COLLECTED_BY[program], ...OLD];
}

/** Otherwise the C library (glibc) keeps several heaps for the threads of Node. They took 5 to 13 MB more, and nothing was faster (ADR 37). */
const ONE_HEAP = { MALLOC_ARENA_MAX: '1' };
/** By default 4, of which half look names up; a backend's name for which nobody answers holds one for ten seconds (ADR 50). */
const MORE_THREADS = { UV_THREADPOOL_SIZE: '32' };

/** What the environment of one of our programs says to Node and the C library. */
export function nodeEnvironment(program: string): Record<string, string> {
  return program === 'worker' ? { ...ONE_HEAP, ...MORE_THREADS } : ONE_HEAP;
}
