/** Ends what jest-global-setup started; both run in the same process. */
export default async function stopTestPostgres(): Promise<void> {
  await (globalThis as { stopTestPostgres?: () => Promise<void> }).stopTestPostgres?.();
}
