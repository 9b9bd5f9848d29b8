/** A store of the api, or the api itself. */
export type Outage = 'postgres' | 'redis' | 'network';

type FailedCall = { status: number; code: string | null; store: 'postgres' | 'redis' | null | undefined };

let known: Outage | null = null;
const listeners = new Set<() => void>();

/** The outage that the last failed call named, until a call that needs all of it succeeds. */
export function outageNow(): Outage | null {
  return known;
}

export function noteOutage(outage: Outage | null): void {
  if (outage === known) return;
  known = outage;
  for (const listener of listeners) listener();
}

/** The outage that an error tells of; null: none. */
export function outageOf({ status, code, store }: FailedCall): Outage | null {
  if (status === 503 && store) return store;
  // A load balancer answers in the place of an api that is away.
  return status === 0 || status === 502 || status === 504 || (status === 503 && code === null) ? 'network' : null;
}

/** Calls the listener after every change; returns what ends that. */
export function onOutage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
