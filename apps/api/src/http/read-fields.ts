import type { FaultDetail } from '@flotilla/contract/flotilla-error.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import type { Request, Response } from 'express';
import { formFields, readBody } from './read-body.ts';

/** The inputs as they came, by their proper names, and what is wrong with the names themselves. */
export interface RawFields {
  values: Map<string, unknown>;
  faults: FaultDetail[];
}

const MAX_FAULTS = 20;
const MAX_NAME_LENGTH = 64;

/** Gathers an operation's inputs from query and body; where a name appears in both, the body wins. */
export async function readFields(operation: Operation, request: Request, response: Response): Promise<RawFields> {
  const fields: RawFields = { values: new Map(), faults: [] };
  takeKnown(operation, formFields(queryOf(request)), fields);
  if (operation.method === 'GET') return { values: fields.values, faults: [] };
  const body = await readBody(request, response);
  fields.faults = [];
  takeKnown(operation, body, fields);
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
  if (fields.faults.length < MAX_FAULTS) fields.faults.push({ path: name.slice(0, MAX_NAME_LENGTH), reason });
}
