/**
 * Accepts updates without the reservation of update ids. A bot that is changed while its ids are being reserved goes on
 * with higher ids, and tests that count on ids would fail then.
 */
export function withoutReserve<Deps extends { idReserve?: unknown }>(deps: Deps): Omit<Deps, 'idReserve'> {
  const { idReserve: _, ...rest } = deps;
  return rest;
}
