import { CallError } from '../call.ts';

/** The fault of each field of a form, and the error itself where some of it belongs to no field. */
export function faultsOf(
  error: Error | null,
  fields: readonly string[],
): { faults: Readonly<Record<string, string | undefined>>; other: Error | null } {
  if (!(error instanceof CallError) || error.faults.size === 0) return { faults: {}, other: error };
  const known: Record<string, string> = {};
  let hasOthers = false;
  for (const [path, reason] of error.faults) {
    // A fault within a list or an object is shown at its field.
    const field = fields.find((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
    if (field === undefined) hasOthers = true;
    else known[field] ??= reason;
  }
  return { faults: known, other: hasOthers ? error : null };
}
