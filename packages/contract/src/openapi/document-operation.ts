import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operation.ts';

/** What the API document says of an operation beyond what its schemas say. */
export interface Documentation {
  readonly operation: Operation;
  /** Markdown; the operation's summary comes before it. */
  readonly description?: string;
  /** The errors it can give beyond those of every operation of its kind (see error-codes.ts). */
  readonly errors?: readonly ErrorCode[];
  /** Examples of the answer in its other media types. */
  readonly otherForms?: Readonly<Record<string, unknown>>;
  readonly example: { readonly input: object; readonly output: unknown };
}

interface About<Input extends z.ZodObject, Output extends z.ZodType>
  extends Omit<Documentation, 'operation' | 'example'> {
  example: { input: Partial<z.input<Input>>; output: z.input<Output> };
}

/** Documents an operation; the example is held to the types here and to the schemas by a test. */
export function documentOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  about: About<Input, Output>,
): Documentation {
  return { ...about, operation };
}

/** What an operation that asks the platform can answer besides: it refused the bot or the call, is busy, failed, was late. */
export const PLATFORM_ERRORS = [
  'token_refused',
  'platform_refused',
  'too_many_requests',
  'platform_failed',
  'platform_timeout',
] as const satisfies readonly ErrorCode[];
