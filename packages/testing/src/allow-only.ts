import type { BackendPolicy } from '@flotilla/domain/fleet/backend-policy/backend-policy.ts';
import { type NameLookup, sharedLookup } from '@flotilla/runtime/shared-lookup.ts';

/** The policy of a process without endpoints of its own. */
export function allowOnly(allowedCidrs: readonly string[], lookup: NameLookup = sharedLookup(1)): BackendPolicy {
  return { allowedCidrs, allowedBy: 'BACKEND_ALLOWED_CIDRS', ownAt: () => null, lookup };
}
