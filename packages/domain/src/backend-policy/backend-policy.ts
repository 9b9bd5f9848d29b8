import type { Address } from './address.ts';

/** What of ours is at an address: a port of ours or of our stores, or a gateway of our network. */
export type Own = 'endpoint' | 'gateway';

/** Decides where backends may be. */
export type BackendPolicy = {
  /** Private ranges (CIDR) that they may live in, of BACKEND_ALLOWED_CIDRS. */
  allowedCidrs: readonly string[];
  /** What of ours is at the address, even if it is allowed; null if nothing is. Asked before every connection. */
  ownAt(address: Address, port: number): Own | null;
};

/** The policy of a process without endpoints of its own. */
export function allowOnly(allowedCidrs: readonly string[]): BackendPolicy {
  return { allowedCidrs, ownAt: () => null };
}
