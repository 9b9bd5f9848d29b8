import { operationTable } from 'virtual:operations';
import type { ErrorAnswer } from '@flotilla/contract/errors.ts';
import type { CallAnswer, CallInput } from '@flotilla/contract/operation.ts';
import type { operations } from '@flotilla/contract/operations.ts';
import { takeEarly } from './early.ts';
import { noteOutage, outageOf } from './outage.ts';

type Operations = typeof operations;
type OperationName = keyof Operations;
export type Input<Name extends OperationName> = CallInput<Operations[Name]>;
export type Answer<Name extends OperationName> = CallAnswer<Operations[Name]>;

/** The api refused, or did not answer: then the status is 0 and there is no code. */
export class CallError extends Error {
  override name = 'CallError';
  readonly status: number;
  readonly code: ErrorAnswer['code'] | null;
  readonly requestId: string | null;
  /** Input → what is wrong with it. */
  readonly faults: ReadonlyMap<string, string>;
  readonly retryAfterS: number | null;
  /** The supergroup that the group of the call became, if that is why. */
  readonly movedTo: number | undefined;
  /** The conversations of the chat, if the call has to name one; '' is that of the bot itself. */
  readonly conversations: readonly string[];
  /** The store that does not answer, if that is why. */
  readonly store: ErrorAnswer['store'] | null;

  constructor(status: number, answer: Partial<ErrorAnswer>, retryAfterS: number | null) {
    super(answer.error ?? '');
    this.status = status;
    this.code = answer.code ?? null;
    this.requestId = answer.request_id ?? null;
    this.faults = new Map(answer.details?.map(({ path, reason }) => [path, reason]));
    this.retryAfterS = retryAfterS;
    this.movedTo = answer.migrate_to_chat_id;
    this.conversations = answer.business_connection_ids ?? [];
    this.store = answer.store ?? null;
  }
}

/** True if nobody is signed in any more: the sign-in then lies over the page, and says so. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof CallError && error.status === 401;
}

type Sent = {
  /** A call that is repeated with its key is carried out once. */
  key?: string;
  /** The ETag of what the change is made from: refused with 'precondition_failed' if others changed it since. */
  ifMatch?: string | undefined;
};

/** Calls an operation with the session of the browser; throws CallError. */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
  sent?: Sent,
): Promise<Answer<Name>> {
  const response = await request(name, input, signal, sent);
  return (await response.json()) as Answer<Name>;
}

export type Answered<Resource> = {
  answer: Resource;
  etag: string | undefined;
  /** By the clock of the service, in whole seconds. */
  servedAtMs: number;
};

/** The same with the ETag and the time of the answer. */
export async function callTagged<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
): Promise<Answered<Answer<Name>>> {
  const response = await request(name, input);
  const date = response.headers.get('Date');
  return {
    answer: (await response.json()) as Answer<Name>,
    etag: response.headers.get('ETag') ?? undefined,
    servedAtMs: date === null ? Date.now() : Date.parse(date),
  };
}

/** One page of a list, with the number of rows in the whole list and the cursors of the pages beside it. */
export type Page<Name extends OperationName> = {
  rows: Answer<Name>;
  total: number;
  /** For `before`; null on the last page. */
  next: string | null;
  /** For `after`; null on the first page, and in lists that go one way. */
  prev: string | null;
};

export async function callPage<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Page<Name>> {
  const response = await request(name, input, signal);
  const link = response.headers.get('Link') ?? '';
  return {
    rows: (await response.json()) as Answer<Name>,
    total: Number(response.headers.get('X-Total-Count')),
    next: /[?&]before=([^&>]+)[^>]*>; rel="next"/.exec(link)?.[1] ?? null,
    prev: /[?&]after=([^&>]+)[^>]*>; rel="prev"/.exec(link)?.[1] ?? null,
  };
}

async function request(name: OperationName, input: object, signal?: AbortSignal, sent?: Sent): Promise<Response> {
  const [method, path] = operationTable[name] as readonly ['GET' | 'POST', string];
  const asked = method === 'GET' ? get(path + queryOf(input), signal) : fetch(path, post(input, signal, sent));
  const response = await asked.catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw noted(new CallError(0, {}, null));
  });
  if (response.ok) return response;
  // A load balancer that answers in our place may write HTML.
  const answer = (await response.json().catch(() => ({}))) as Partial<ErrorAnswer>;
  const retryAfter = Number(response.headers.get('Retry-After'));
  throw noted(new CallError(response.status, answer, retryAfter > 0 ? retryAfter : null));
}

function noted(error: CallError): CallError {
  const outage = outageOf(error);
  if (outage !== null) noteOutage(outage);
  return error;
}

function get(path: string, signal?: AbortSignal): Promise<Response> {
  return takeEarly(path) ?? fetch(path, init(signal));
}

function init(signal?: AbortSignal): RequestInit {
  return signal === undefined ? {} : { signal };
}

function post(input: object, signal?: AbortSignal, { key, ifMatch }: Sent = {}): RequestInit {
  const headers = {
    'Content-Type': 'application/json',
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
  };
  return { ...init(signal), method: 'POST', headers, body: JSON.stringify(input) };
}

function queryOf(input: object): string {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
