import { type FaultDetail, FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { z } from 'zod';
import type { RawFields } from './read-fields.ts';

const MAX_FAULTS = 50;
const IS_REQUIRED = 'is required';
const FAULTS_IN_SENTENCE = 3;

/**
 * Validates the inputs of an operation; throws 'bad_request' naming every fault, unknown fields included. Of a form,
 * only the fields before the file are known.
 */
export function parseInput<Input extends z.ZodObject>(schema: Input, fields: RawFields): z.output<Input> {
  const result = schema.safeParse(Object.fromEntries(fields.values), { error: reasonOf });
  const faults = distinct([
    ...fields.faults,
    ...(result.error?.issues.map((issue) => toFault(issue, fields)) ?? []),
  ]).slice(0, MAX_FAULTS);
  if (result.success && faults.length === 0) return result.data;
  throw new FlotillaError('bad_request', sentence(faults), { details: faults });
}

function toFault({ path, message }: z.core.$ZodIssue, { file }: RawFields): FaultDetail {
  const isLate = file !== null && message === IS_REQUIRED;
  return { path: path.join('.'), reason: isLate ? `${IS_REQUIRED} before the file` : message };
}

/** A value that is not an integer is also out of range, so only one fault is reported. */
function distinct(faults: FaultDetail[]): FaultDetail[] {
  const known = new Set<string>();
  return faults.filter(({ path, reason }) => {
    const isNew = !known.has(`${path} ${reason}`);
    known.add(`${path} ${reason}`);
    return isNew;
  });
}

function sentence(faults: FaultDetail[]): string {
  const named = faults.slice(0, FAULTS_IN_SENTENCE).map(({ path, reason }) => `${path} ${reason}`);
  const more = faults.length - named.length;
  return named.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Reasons that complete the sentence "<field> …"; undefined keeps the words of the schema. */
function reasonOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return IS_REQUIRED;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nameOfType(issue.expected)}`;
    case 'too_small':
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${unitOf(issue.origin)}`;
    case 'too_big':
      return `must have at most ${issue.maximum} ${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    default:
      return undefined;
  }
}

const TYPE_NAMES: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'an object',
  string: 'text',
};

function nameOfType(expected: string): string {
  return TYPE_NAMES[expected] ?? `of the type ${expected}`;
}

function unitOf(origin: string): string {
  return origin === 'string' ? 'characters' : 'entries';
}
