import { isKeyed } from '@flotilla/contract/operation.ts';
import { operations } from '@flotilla/contract/operations.ts';

// `npm run client` writes the published table in place of this file, from the API document.

/** By the name of each operation its method and path; + says that it takes an Idempotency-Key. */
export const routes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(operations).map(([name, operation]) => [
    name,
    `${operation.method}${isKeyed(operation) ? '+' : ''} ${operation.paths[0]}`,
  ]),
);
