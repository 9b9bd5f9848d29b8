import type { CallAnswer, CallInput } from '@flotilla/contract/operation.ts';
import type { operations } from '@flotilla/contract/operations.ts';

// `npm run client` writes the published types in place of this file, from the API document and without zod.

/** The inputs and the answer of each operation. */
export type Api = {
  [Name in keyof typeof operations]: {
    input: CallInput<(typeof operations)[Name]>;
    answer: CallAnswer<(typeof operations)[Name]>;
  };
};
