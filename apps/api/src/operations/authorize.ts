import { broadcastOperations } from '@flotilla/contract/broadcast-operations.ts';
import { ownId } from '@flotilla/contract/inputs.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import { outboxOperations } from '@flotilla/contract/outbox-operations.ts';
import { systemOperations } from '@flotilla/contract/system-operations.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import { endOfKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import { hasSessionCookie } from '../auth/session.ts';
import type { Context } from '../context.ts';
import type { RawFields } from '../http/read-fields.ts';
import type { FindBots } from './handler.ts';

const anyId = ownId();

/**
 * Refuses a state-changing request that carries the cookie, or could set it, if its Origin or Sec-Fetch-Site header
 * names another site. A request without both headers passes, because no browser sent it.
 */
export function requireSameOrigin(
  config: { publicUrl: string | null },
  operation: Pick<Operation, 'role' | 'changes'>,
  request: Request,
): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && operation.changes !== true) return;
  // A public operation signs in, so a page of another site could sign a person in to an account of its choice.
  if (operation.role !== 'public' && !hasSessionCookie(request)) return;
  const fetchSite = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const fetchedElsewhere = fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none';
  if (!fetchedElsewhere && (origin === undefined || isOwnOrigin(config, request, origin))) return;
  throw new FlotillaError('forbidden', 'This request comes from a page of another site');
}

function isOwnOrigin({ publicUrl }: { publicUrl: string | null }, request: Request, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host, origin: given } = new URL(origin);
  return host === request.host || (publicUrl !== null && given === new URL(publicUrl).origin);
}

/** Throws 'forbidden' for a session whose account must change its password first. API keys keep working. */
export function requirePasswordChanged(
  operation: Pick<Operation, 'beforePasswordChange'>,
  caller: Caller | null,
): void {
  if (caller === null || caller.apiKey !== null || operation.beforePasswordChange === true) return;
  if (!caller.account.must_change_password) return;
  throw new FlotillaError('forbidden', 'The password must be changed first');
}

/** Operations that a copy needs before it takes over, or that change only Postgres. */
const BEFORE_ADOPTION: ReadonlySet<Operation> = new Set<Operation>([
  systemOperations.adoptInstallation,
  outboxOperations.cancelOutboxEntries,
  broadcastOperations.pauseBroadcast,
  broadcastOperations.cancelBroadcast,
]);

/**
 * Throws 'quarantined' for a call that would send something from a copy. Others pass, so that people decide what waits; but in the
 * Redis of an installation that may be alive, a change (a poll, too) would be one of that installation.
 */
export function requireActive({ installation }: Pick<Context, 'installation'>, operation: Operation): void {
  const quarantine = installation.quarantine();
  if (quarantine === null) return;
  const { method, changes, role, keyed, sends, beforePasswordChange } = operation;
  const isOwn = role === 'public' || beforePasswordChange === true || BEFORE_ADOPTION.has(operation);
  const changesOthers = quarantine.redisOfOthers && (method === 'POST' || changes === true) && !isOwn;
  if (keyed !== undefined || sends === true || changesOthers) installation.requireActive();
}

/** Throws 'unavailable' for a change while they are refused for maintenance. A POST that leaves no audit entry is none, unless it says so. */
export function requireWritable(
  { readOnly }: Pick<Context, 'readOnly'>,
  { method, audit, role, beforePasswordChange, paths, stores }: Operation,
): void {
  if (method === 'GET' || (audit.length === 0 && stores !== true)) return;
  if (role === 'public' || beforePasswordChange === true || paths[0].startsWith('/api/system/')) return;
  readOnly.requireWritable();
}

/** Throws 'forbidden' unless the caller has the role and the bots that the operation requires. */
export function requireRole(
  operation: Pick<Operation, 'role' | 'wholeFleet' | 'lasting'>,
  caller: Caller | null,
): void {
  if (operation.role === 'admin' && caller?.role !== 'admin') {
    throw new FlotillaError('forbidden', 'Admin role required');
  }
  if (operation.wholeFleet === true && caller?.scope.bots !== 'all') {
    throw new FlotillaError('forbidden', 'A key that is limited to some bots cannot do this');
  }
  if (operation.lasting === true && caller?.apiKey && endOfKey(caller.apiKey) !== null) {
    throw new FlotillaError('forbidden', 'A key that expires cannot do this: what it makes would outlive it');
  }
}

/** Throws 'forbidden' for a user without the right that the operation requires. Checked after the bots. */
export function requireRight({ right }: Pick<Operation, 'right'>, caller: Caller | null): void {
  if (right === undefined || caller === null || caller.rights.includes(right)) return;
  throw new FlotillaError('forbidden', `The right \`${right}\` is required`);
}

/**
 * Throws 'forbidden' if an input names a bot that the caller does not see, or names none and the call would concern
 * the whole fleet, before the other inputs are validated. For
 * the role user this includes a bot that does not exist. A value that is not an id is left to validation.
 */
export function requireBots(
  context: Context,
  { botInputs = [], botsOf, fleetWithout }: Operation,
  caller: Caller | null,
  fields: RawFields,
): void {
  if (caller === null) return;
  if (fleetWithout !== undefined && !fields.values.has(fleetWithout)) requireRole(OF_FLEET, caller);
  for (const name of botInputs) {
    const id = anyId.safeParse(fieldAt(fields, name));
    if (id.success) requireSeenBot(context, caller, id.data);
  }
  for (const id of botsOf?.(Object.fromEntries(fields.values)) ?? []) requireSeenBot(context, caller, id);
}

/** Throws 'forbidden' if an input names another bot than that of the program. */
export function requireOwnBot({ botInputs = [] }: Operation, { bot }: ProgramCredential, fields: RawFields): void {
  for (const name of botInputs) {
    const id = anyId.safeParse(fieldAt(fields, name));
    if (id.success && id.data !== bot.id) refuse();
  }
}

/** `filter.bot_id` is the field of an object, which a form or a query string carries as JSON text. */
function fieldAt({ values }: RawFields, name: string): unknown {
  const [outer = '', inner] = name.split('.');
  const value = values.get(outer);
  if (inner === undefined) return value;
  const object = typeof value === 'string' ? parsedOrNull(value) : value;
  return typeof object === 'object' && object !== null && Object.hasOwn(object, inner)
    ? (object as Record<string, unknown>)[inner]
    : undefined;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function requireSeenBot({ directory }: Context, caller: Caller, id: number): void {
  if (!seesBot(caller, id)) refuse();
  if (caller.role === 'user' && directory.byId(id) === undefined) refuse();
}

/**
 * The same for the bots of what an id names (a tag, rule, program, token). An id that names nothing is refused likewise,
 * unless the caller is an admin of all bots.
 */
export async function requireFoundBots(
  context: Context,
  findBots: FindBots | undefined,
  caller: Caller | null,
  given: unknown,
): Promise<void> {
  if (findBots === undefined || caller === null || (caller.role === 'admin' && caller.scope.bots === 'all')) return;
  const id = anyId.safeParse(given);
  if (!id.success) return;
  const bots = await findBots(context, id.data);
  if (bots.length === 0) refuse();
  for (const botId of bots) requireSeenBot(context, caller, botId);
}

const OF_FLEET = { role: 'admin', wholeFleet: true } as const;

function refuse(): never {
  throw new FlotillaError('forbidden', 'This bot is not among yours');
}
