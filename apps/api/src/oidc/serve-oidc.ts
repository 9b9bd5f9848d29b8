import { labels } from '@flotilla/contract/labels.ts';
import type { OidcRefusal } from '@flotilla/contract/sign-in.ts';
import type { Claims, Identity } from '@flotilla/domain/people/accounts/identity.ts';
import { namesOf, valuesOf } from '@flotilla/domain/people/accounts/identity.ts';
import { signInByIdentity } from '@flotilla/domain/people/accounts/sign-in-by-identity.ts';
import { CALLBACK_PATH, type OidcConfig, START_PATH } from '@flotilla/domain/startup/sign-in-settings.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { AuthorizationResponseError } from 'openid-client';
import { beginSession } from '../auth/session.ts';
import type { Context } from '../context.ts';
import { measureRequest, requestIn } from '../http/observe-request.ts';
import { refuseMethod } from '../operations/serve-operations.ts';
import { type OidcAttempts, oidcAttempts } from './oidc-attempts.ts';
import { type OidcProvider, oidcProvider } from './oidc-provider.ts';

const CONSOLE = '/console/';
const LABEL = 'label:';

type Parts = { config: OidcConfig; provider: OidcProvider; attempts: OidcAttempts };

/**
 * `GET /api/auth/oidc/start` sends a browser to the provider, and the callback takes it back: both answer with a redirect, since
 * people navigate there. A refused sign-in leads to the console with its reason.
 */
export function serveOidc(context: Context): Router {
  const router = Router({ caseSensitive: true });
  const { oidc: config } = context.config.signIn;
  if (config === null) return router;
  const attempts = oidcAttempts(context.redis, config.redirectUrl);
  const parts = { config, attempts, provider: oidcProvider(config) };
  const steps: [string, string, (request: Request, response: Response) => Promise<void>][] = [
    [START_PATH, 'startOidc', (request, response) => start(context, parts, request, response)],
    [CALLBACK_PATH, 'finishOidc', (request, response) => finish(context, parts, request, response)],
  ];
  for (const [path, name, serve] of steps) {
    const handler: RequestHandler = (request, response) => serve(request, response);
    router.get(path, measureRequest(context, name), handler);
    router.all(path, refuseMethod(['GET', 'HEAD']));
  }
  return router;
}

async function start(context: Context, parts: Parts, request: Request, response: Response): Promise<void> {
  // A link elsewhere may begin a sign-in, but not replace the one that the person is in the middle of.
  if (isFromElsewhere(request) && (await parts.attempts.isBegun(request))) {
    response.redirect(302, CONSOLE);
    return;
  }
  // Each costs the provider a request and Redis a key, and nobody is signed in yet.
  await context.signInLimits.begin({ request, response });
  const begun = await parts.provider.begin().catch((error: unknown) => {
    context.log.warn({ reason: reasonOf(error) }, 'the identity provider does not answer');
    return null;
  });
  if (begun === null) return refuse(context, response, 'provider_away');
  const returnTo = ownPath(queryOf(request).get('return_to'));
  await parts.attempts.keep(request, response, { ...begun.attempt, returnTo });
  response.redirect(302, begun.url.href);
}

async function finish(context: Context, parts: Parts, request: Request, response: Response): Promise<void> {
  const { config } = parts;
  const attempt = await parts.attempts.take(request, response, queryOf(request).get('state'));
  if (attempt === null) return refuse(context, response, 'not_begun');
  const claims = await parts.provider.finish(queryOf(request).toString(), attempt).catch((error: unknown) => {
    const refused = error instanceof AuthorizationResponseError;
    context.log.warn({ reason: reasonOf(error) }, 'a sign-in by OIDC failed');
    return refused ? ('denied' as const) : ('failed' as const);
  });
  if (typeof claims === 'string') return refuse(context, response, claims);
  const by = { address: context.clientAddress(request), request: requestIn(response) };
  const signIn = await signInByIdentity(context, identityOf(context, config, claims), config.createsAccounts, by);
  if (signIn.outcome !== 'signed_in') return refuse(context, response, signIn.outcome);
  const { id: accountId, session_version: sessionVersion } = signIn.account;
  await context.auth.openSession(request, response);
  const continued = { endsAtMs: context.clock.nowMs() + config.sessionMs };
  await beginSession(context, request, { accountId, sessionVersion, secondFactor: true, continued });
  context.apiMetrics.signIns.inc({ outcome: 'ok' });
  response.redirect(302, attempt.returnTo);
}

function identityOf({ directory }: Context, config: OidcConfig, claims: Claims): Identity {
  const { roleClaim, adminValues, botsClaim } = config;
  const roles = roleClaim === null ? undefined : (valuesOf(claims, roleClaim) ?? []);
  const bots = botsClaim === null ? undefined : (valuesOf(claims, botsClaim) ?? []);
  const named = new Set(bots?.map((name) => name.replace(/^@/, '').toLowerCase()));
  const isNamed = (bot: { id: number; username: string }) =>
    named.has(String(bot.id)) || named.has(bot.username.toLowerCase());
  const bot_ids = directory
    .all()
    .filter(isNamed)
    .map(({ id }) => id);
  return {
    issuer: config.issuer,
    subject: claims.sub,
    ...namesOf(claims),
    role: roles === undefined ? undefined : roles.some((role) => adminValues.includes(role)) ? 'admin' : 'user',
    bot_ids: bots === undefined ? undefined : named.has('*') ? null : bot_ids,
    bot_labels: labelsIn(bots ?? []),
  };
}

/** `label:shop` names the bots that have this label. */
function labelsIn(bots: readonly string[]): string[] {
  const named = bots.filter((name) => name.startsWith(LABEL)).map((name) => name.slice(LABEL.length));
  return labels().safeParse([...new Set(named)]).data ?? [];
}

/** Sent by a page of another site. Browsers that do not say so are older than 2023. */
function isFromElsewhere({ headers }: Request): boolean {
  return ['cross-site', 'same-site'].includes(headers['sec-fetch-site'] as string);
}

/** A path of the console, whatever the caller wanted: no other host, also not by a backslash or a second slash. */
function ownPath(wanted: string | null): string {
  const base = 'http://own.invalid';
  if (wanted === null || !URL.canParse(wanted, base)) return CONSOLE;
  const { origin, pathname, search } = new URL(wanted, base);
  return origin === base && pathname.startsWith(CONSOLE) ? pathname + search : CONSOLE;
}

function refuse({ apiMetrics }: Context, response: Response, reason: OidcRefusal): void {
  apiMetrics.signIns.inc({ outcome: 'refused' });
  response.redirect(302, `${CONSOLE}?sign_in=${reason}`);
}

/** Its code and sentence. What belongs to it may hold codes and tokens. */
function reasonOf(error: unknown): string {
  if (error instanceof FlotillaError || !(error instanceof Error)) throw error;
  const { code, error: named } = error as Error & { code?: unknown; error?: unknown };
  return [code, named, error.message].filter((part) => typeof part === 'string').join(': ');
}

function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URL(originalUrl, 'http://own.invalid').searchParams;
}
