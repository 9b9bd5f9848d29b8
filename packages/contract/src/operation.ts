import type { z } from 'zod';
import type { AuditAction } from './resources/audit-action.ts';

/**
 * What a call that changes something is called in the audit log: one of these, as the call goes. A POST has to say it,
 * and says `[]` when it changes nothing.
 */
type Audited =
  | { readonly method: 'POST'; readonly audit: readonly AuditAction[] }
  | { readonly method: 'GET'; readonly audit?: readonly AuditAction[] };

/** One operation of the REST interface: what validates it, types it and documents it. */
export type Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> = Audited & {
  /** The operationId; the endpoint's file is named after it. */
  readonly name: string;
  /** The first path is the documented one. */
  readonly paths: readonly [string, ...string[]];
  /** `public` needs no credential. */
  readonly role: 'public' | 'any' | 'admin';
  /** Not for a key that is limited to some bots: it concerns other bots, or could undo that limit. */
  readonly wholeFleet?: true;
  /** Not for a key that expires: it makes access that would outlive the key. */
  readonly lasting?: true;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** What a success is sent as where it is no JSON; `output` then describes its text. */
  readonly mediaTypes?: readonly [string, ...string[]];
  /** A body takes 1 MiB at most unless it says less. */
  readonly bodyLimitBytes?: number;
  /** Inputs that name a bot; the caller must see every one of them. */
  readonly botInputs?: readonly string[];
  /** Fields of the resource that are accepted in a body and ignored, so that what was listed can be posted back. */
  readonly readOnlyFields?: readonly string[];
  /** Other names of inputs: alias → input. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Works while the account must still change its password. */
  readonly beforePasswordChange?: true;
};

/** Keeps the exact types of an operation. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}
