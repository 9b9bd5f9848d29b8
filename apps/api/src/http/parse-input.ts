import { type FaultDetail, FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { z } from 'zod';
import type { RawFields } from './read-fields.ts';

const MAX_FAULTS = 50;
const FAULTS_IN_SENTENCE = 3;

/** Validates the inputs of an operation; throws 'bad_request' naming every fault, unknown fields included. */
export function parseInput<Input extends z.ZodObject>(schema: Input, fields: RawFields): z.output<Input> {
  const result = schema.safeParse(Object.fromEntries(fields.values), { error: reasonOf });
  const faults = [...fields.faults, ...(result.error?.issues.map(toFault) ?? [])].slice(0, MAX_FAULTS);
  if (result.success && faults.length === 0) return result.data;
  throw new FlotillaError('bad_request', sentence(faults), { details: faults });
}

function toFault(issue: z.core.$ZodIssue): FaultDetail {
  return { path: issue.path.join('.'), reason: issue.message };
}

function sentence(faults: FaultDetail[]): string {
  const named = faults.slice(0, FAULTS_IN_SENTENCE).map(({ path, reason }) => `${path} ${reason}`);
  const more = faults.length - named.length;
  return named.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

const LENGTH_UNITS: Record<string, string> = { string: ' characters', array: ' entries' };

/** Reasons that finish the sentence "<field> …"; undefined leaves zod's or the schema's own words. */
function reasonOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${nameOfType(issue.expected)}`;
    case 'too_small':
      return `must ${bound(issue.origin)}at least ${issue.minimum}${LENGTH_UNITS[issue.origin] ?? ''}`;
    case 'too_big':
      return `must ${bound(issue.origin)}at most ${issue.maximum}${LENGTH_UNITS[issue.origin] ?? ''}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of ${issue.values.join(', ')}`;
    default:
      return issue.input === undefined ? 'is required' : undefined;
  }
}

function nameOfType(expected: string): string {
  if (expected === 'number' || expected === 'int') return 'an integer within ±(2^53-1)';
  return expected === 'array' ? 'a list' : `a ${expected}`;
}

function bound(origin: string): string {
  return origin in LENGTH_UNITS ? 'have ' : 'be ';
}
