import { z } from 'zod';
import type { AccountRight } from './account-rights.ts';
import type { AuditAction } from './audit-actions.ts';
import type { ErrorCode } from './errors.ts';
import type { RateLimitName } from './rate-limits.ts';

/**
 * The actions that a call may leave in the audit log. A POST must name them, and names none (`[]`) if it changes
 * nothing.
 */
type Audited =
  | { readonly method: 'POST'; readonly audit: readonly AuditAction[] }
  | { readonly method: 'GET'; readonly audit?: readonly AuditAction[] };

type MediaTypes = readonly [string, ...string[]];

/** One operation of the REST interface: its schemas, rights and documentation. Its key is its operationId. */
export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Written extends MediaTypes | undefined = MediaTypes | undefined,
> = Audited & {
  /** The first path is the documented one. */
  readonly paths: readonly [string, ...string[]];
  /** `public` needs no credential. */
  readonly role: 'public' | 'any' | 'admin';
  /** A user needs this right beside the bot. */
  readonly right?: AccountRight;
  /** Not for a key that is limited to some bots: it concerns other bots, or could undo that limit. */
  readonly wholeFleet?: true;
  /** A POST without an audit entry that stores what somebody made: it is refused like a change in read-only mode. */
  readonly stores?: true;
  /** A GET that changes something all the same: with a session it may not come from another site. */
  readonly changes?: true;
  /** Not for a key that expires: it makes access that would outlive the key. */
  readonly lasting?: true;
  readonly summary: string;
  /** Markdown; follows the summary in the API document. */
  readonly description?: string;
  readonly input: Input;
  readonly output: Output;
  /** The media types, if the handler writes the answer itself. Absent: JSON of the handler's result. */
  readonly mediaTypes?: Written;
  /** When the answer is 204, without a body. */
  readonly emptyWhen?: string;
  /** The largest body. [1 MiB] */
  readonly bodyLimitBytes?: number;
  /** A file that a multipart body may carry under the name `file`, after its fields. */
  readonly file?: { readonly limitBytes: number; readonly description: string };
  /** Inputs that name a bot; the caller must see every one of them. */
  readonly botInputs?: readonly string[];
  /** A call without this input concerns the whole fleet: it is for admins who see all bots. */
  readonly fleetWithout?: string;
  /** A list without its total: to count the rows would take as long as to read them all. */
  readonly uncounted?: true;
  /** The bots that inputs name in a form of their own; the caller must see every one of them. */
  readonly botsOf?: (inputs: Readonly<Record<string, unknown>>) => readonly number[];
  /** Fields of the resource that a body may have and that are ignored, so that what was listed can be posted back. */
  readonly readOnlyFields?: readonly string[];
  /** Other names of inputs: alias → input. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * Sends something for its input `bot_id`, so it takes the header `Idempotency-Key`. `once`: it is carried out once. `stored`:
   * likewise, and what it does is in Postgres. `input`: the header is another way to give its input `idempotency_key`.
   */
  readonly keyed?: 'once' | 'stored' | 'input';
  /** It sends something and takes no key. */
  readonly sends?: true;
  /** The token of a program may call it, too, for the bot of that program. */
  readonly alsoPrograms?: true;
  /**
   * Of a resource that several people change: its answer has an ETag if it is `shown` or `changed`, and to change or delete it takes
   * If-Match.
   */
  readonly versioned?: 'shown' | 'changed' | 'deleted';
  /** Allowed while the account must change its password first. */
  readonly beforePasswordChange?: true;
  /** The limits that its answers may show; those of a file need not be named. */
  readonly limits?: readonly RateLimitName[];
  /** Errors beyond those that every operation of its kind can give. */
  readonly errors?: readonly ErrorCode[];
  /** A call and its answer; a test holds both to the schemas. */
  readonly example: { readonly input: Partial<z.input<Input>>; readonly output: z.input<Output> };
  /** The answer of the example in further media types. */
  readonly otherForms?: Readonly<Record<string, string>>;
};

/** Checks an operation and keeps its exact types. */
export function defineOperation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Written extends MediaTypes | undefined = undefined,
>(operation: Operation<Input, Output, Written>): Operation<Input, Output, Written> {
  return operation;
}

/** True if a call with an Idempotency-Key has the answer of the first one with it. */
export function isKeyed({ keyed }: Pick<Operation, 'keyed'>): boolean {
  return keyed === 'once' || keyed === 'stored';
}

/** True if it takes If-Match. */
export function takesVersion({ versioned }: Pick<Operation, 'versioned'>): boolean {
  return versioned === 'changed' || versioned === 'deleted';
}

/** True if the answer is one page of a list; headers name its total and its next page. */
export function isPaged({ input, output }: Operation): boolean {
  return output instanceof z.ZodArray && 'before' in input.shape;
}

/** The fields of a resource that are not among these inputs. */
export function fieldsBeside(resource: z.ZodObject, inputs: object): string[] {
  return Object.keys(resource.shape).filter((field) => !(field in inputs));
}

/** The input of an operation from a client, before defaults are filled in. */
export type CallInput<Called extends Operation> = z.input<Called['input']>;

/** The answer to a client. */
export type CallAnswer<Called extends Operation> = z.output<Called['output']>;
