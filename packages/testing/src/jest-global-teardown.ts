/** Ends what jest-global-setup started in this same process. */
export default async function stopTestPostgres(): Promise<void> {
  await (globalThis as { stopTestPostgres?: () => Promise<void> }).stopTestPostgres?.();
}
