import { z } from 'zod';
import type { AuditAction } from './audit-actions.ts';
import type { ErrorCode } from './errors.ts';

/**
 * What a call that changes something is called in the audit log: one of these, as the call goes. A POST has to say it,
 * and says `[]` when it changes nothing.
 */
type Audited =
  | { readonly method: 'POST'; readonly audit: readonly AuditAction[] }
  | { readonly method: 'GET'; readonly audit?: readonly AuditAction[] };

type MediaTypes = readonly [string, ...string[]];

/** One operation of the REST interface: what validates it, types it and documents it. Its key is the operationId. */
export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Written extends MediaTypes | undefined = MediaTypes | undefined,
> = Audited & {
  /** The first path is the documented one. */
  readonly paths: readonly [string, ...string[]];
  /** `public` needs no credential. */
  readonly role: 'public' | 'any' | 'admin';
  /** Not for a key that is limited to some bots: it concerns other bots, or could undo that limit. */
  readonly wholeFleet?: true;
  /** Not for a key that expires: it makes access that would outlive the key. */
  readonly lasting?: true;
  readonly summary: string;
  /** Markdown that goes on after the summary. */
  readonly description?: string;
  readonly input: Input;
  readonly output: Output;
  /** The forms of a success whose text the handler writes itself; absent: JSON of what the handler returns. */
  readonly mediaTypes?: Written;
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
  /** The errors it can give beyond those of every operation of its kind. */
  readonly errors?: readonly ErrorCode[];
  /** A call and its answer; a test holds both to the schemas. */
  readonly example: { readonly input: Partial<z.input<Input>>; readonly output: z.input<Output> };
  /** The example's answer in the other media types. */
  readonly otherForms?: Readonly<Record<string, string>>;
};

/** Keeps the exact types of an operation. */
export function defineOperation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Written extends MediaTypes | undefined = undefined,
>(operation: Operation<Input, Output, Written>): Operation<Input, Output, Written> {
  return operation;
}

/** Whether the answer is one page of a list, whose total and next page are in headers. */
export function isPaged({ input, output }: Operation): boolean {
  return output instanceof z.ZodArray && 'before' in input.shape;
}

/** The fields of a resource that are not among these inputs. */
export function fieldsBeside(resource: z.ZodObject, inputs: object): string[] {
  return Object.keys(resource.shape).filter((field) => !(field in inputs));
}
