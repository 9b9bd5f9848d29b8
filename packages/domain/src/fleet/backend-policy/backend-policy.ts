import type { NameLookup } from '@flotilla/runtime/shared-lookup.ts';
import type { Address } from './address.ts';

/** Our property at an address: a port of ours or of our stores, or a gateway of our network. */
export type Own = 'endpoint' | 'gateway';

/** Decides where backends may be. */
export type BackendPolicy = {
  /** The private ranges (CIDR) in which backends may be. */
  allowedCidrs: readonly string[];
  /** The setting that names these ranges. */
  allowedBy: string;
  /** Our property at this address, even if the address is allowed; null if nothing. Asked before every connection. */
  ownAt(address: Address, port: number): Own | null;
  /** Looks the names of backends up. */
  lookup: NameLookup;
};
