import type { Operation } from '@flotilla/contract/operation.ts';
import type { FaultDetail } from '@flotilla/runtime/flotilla-error.ts';
import type { Request, Response } from 'express';
import type { BodyBudget } from './body-budget.ts';
import { formFields, MAX_BODY_BYTES, readBody } from './read-body.ts';

/** The inputs as they came, by their proper names, and what is wrong with the names themselves. */
export interface RawFields {
  values: Map<string, unknown>;
  faults: FaultDetail[];
}

const MAX_FAULTS = 20;
const MAX_NAME_LENGTH = 64;
/** For what has a value and no name: `?=1`. */
const NAMELESS = '""';

/**
 * Gathers an operation's inputs from query and body; where a name appears in both, the body wins. What begins with `_`
 * in a query is left to the caches and clients that add such names.
 */
export async function readFields(
  budget: BodyBudget,
  operation: Operation,
  request: Request,
  response: Response,
): Promise<RawFields> {
  const fields: RawFields = { values: new Map(), faults: [] };
  const query = formFields(queryOf(request), 'query');
  takeKnown(operation, new Map([...query].filter(([name]) => !name.startsWith('_'))), fields);
  if (operation.method === 'GET') return fields;
  const sender = operation.role === 'public' ? 'stranger' : 'known';
  const limitBytes = operation.bodyLimitBytes ?? MAX_BODY_BYTES;
  takeKnown(operation, await readBody({ request, response, budget, sender, limitBytes }), fields);
  return fields;
}

function queryOf(request: Request): string {
  const at = request.url.indexOf('?');
  return at < 0 ? '' : request.url.slice(at + 1);
}

function takeKnown(operation: Operation, given: Map<string, unknown>, fields: RawFields): void {
  const { input, aliases = {}, readOnlyFields = [] } = operation;
  for (const [name, value] of given) {
    const proper = Object.hasOwn(aliases, name) ? aliases[name]! : name;
    if (Object.hasOwn(input.shape, proper)) {
      if (proper !== name && given.has(proper) && String(given.get(proper)) !== String(value)) {
        addFault(fields, name, `contradicts ${proper}`);
      } else fields.values.set(proper, value);
    } else if (!readOnlyFields.includes(name)) addFault(fields, name, 'is not a field of this call');
  }
}

function addFault(fields: RawFields, name: string, reason: string): void {
  const path = name === '' ? NAMELESS : name.slice(0, MAX_NAME_LENGTH);
  if (fields.faults.length < MAX_FAULTS) fields.faults.push({ path, reason });
}
