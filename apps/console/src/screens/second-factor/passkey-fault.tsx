import type { ReactNode } from 'react';
import { faultsOf } from '../../parts/form-faults.ts';
import { NoPasskey } from '../../parts/passkey.ts';

/** Says the faults of the browser's dialog in these words, and those of the api at its fields. */
export function passkeyFaults(declined: string, fields: readonly string[]) {
  return (error: Error | null): ReturnType<typeof faultsOf> =>
    error instanceof NoPasskey ? { faults: { passkey: declined }, other: null } : faultsOf(error, fields);
}

/** The browser's dialog has no field of its own. */
export function PasskeyFault({ fault }: { fault: string | undefined }): ReactNode {
  return (
    <p role="alert" className="fault" hidden={fault === undefined}>
      {fault}
    </p>
  );
}
