import type { z } from 'zod';
import { ControlError } from './control-error.ts';

/** Parses and validates the body of a control call; the ControlError lists every fault. */
export function readInput<Input extends z.ZodObject>(name: string, schema: Input, body: string): z.output<Input> {
  const given = parse(body);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ControlError(`${name} takes a JSON object`);
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const faults = result.error.issues.flatMap((issue) => describe(issue, given));
  throw new ControlError(`${name}: ${[...new Set(faults)].join('; ')} (see GET /control/)`);
}

function parse(body: string): unknown {
  if (body.trim() === '') return {};
  try {
    return JSON.parse(body);
  } catch {
    throw new ControlError('the body is not JSON');
  }
}

function describe(issue: z.core.$ZodIssue, given: unknown): string[] {
  const path = (...steps: PropertyKey[]) => [...issue.path, ...steps].join('.');
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `there is no field ${path(key)}`);
  if (issue.code === 'invalid_union' && issue.path.length > 0 && valueAt(given, issue.path) !== undefined) {
    return [`${path()} is none of those that are known`];
  }
  if (issue.path.length === 0) return [issue.message];
  if (valueAt(given, issue.path) === undefined) return [`${path()} is missing`];
  return [`${path()}: ${issue.message.replace(/^Invalid input: /, '')}`];
}

function valueAt(given: unknown, path: PropertyKey[]): unknown {
  let at = given;
  for (const step of path) {
    at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined;
  }
  return at;
}
