/**
 * Lets Node have so many threads for files, hashes and lookups of names, of which lookups get half; by default it has 4. It counts
 * only before the first such work. A UV_THREADPOOL_SIZE of the environment stays as it is.
 * @param {number} threads
 */
export function sizeThreadPool(threads) {
  process.env.UV_THREADPOOL_SIZE ??= String(threads);
}
