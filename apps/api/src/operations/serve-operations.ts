import { isKeyed, isPaged, type Operation } from '@flotilla/contract/operation.ts';
import { KEY_HEADER } from '@flotilla/domain/delivery/idempotency/key-header.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { z } from 'zod';
import { actorOf, authenticate } from '../auth/authenticate.ts';
import { requireSecondFactor } from '../auth/second-factor.ts';
import type { Context } from '../context.ts';
import { setEtag } from '../http/etag.ts';
import { measureRequest, requestIn, traceRequest } from '../http/observe-request.ts';
import { linkHeader, type Page } from '../http/page.ts';
import { parseInput } from '../http/parse-input.ts';
import { readFields } from '../http/read-fields.ts';
import { sendJson } from '../http/send-answer.ts';
import {
  requireActive,
  requireBots,
  requireFoundBots,
  requireOwnBot,
  requirePasswordChanged,
  requireRight,
  requireRole,
  requireSameOrigin,
  requireWritable,
} from './authorize.ts';
import { resolveChat } from './bot-of-call.ts';
import type { Call, FindBots, Handlers } from './handler.ts';
import { programOfCall } from './program-of-call.ts';
import { serveKeyed, takeKeyAsInput } from './serve-keyed.ts';
import { whileAllowed } from './while-allowed.ts';

/** A handler whose types were checked against its operation. */
interface AnyHandler {
  findBots?: FindBots;
  findBotsBy?: string;
  handle(context: Context, call: Call<z.ZodObject>): Promise<unknown>;
}

/** Serves every operation under its paths; another method is 405 with `Allow`. */
export function serveOperations<Operations extends Record<string, Operation>>(
  context: Context,
  operations: Operations,
  handlers: Handlers<Operations>,
): Router {
  const router = Router({ caseSensitive: true });
  const methods = new Map<string, string[]>();
  for (const [name, operation] of Object.entries(operations)) {
    const { method, paths } = operation;
    const steps = [measureRequest(context, name), serveOperation(context, operation, handlerOf(handlers, name))];
    if (context.tracing) steps.unshift(traceRequest(context.tracing, name));
    for (const path of paths) {
      methods.set(path, [...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
      const route = router.route(path);
      if (method === 'GET') route.get(steps);
      else route.post(steps);
    }
  }
  for (const [path, allowed] of methods) router.all(path, refuseMethod(allowed));
  return router;
}

function handlerOf(handlers: object, name: string): AnyHandler {
  const handler = (handlers as Record<string, AnyHandler | AnyHandler['handle']>)[name]!;
  return typeof handler === 'function' ? { handle: handler } : handler;
}

/** Answers 405 for a path that has other methods, and names them in Allow. */
export function refuseMethod(allowed: string[]): RequestHandler {
  return (request, response) => {
    response.setHeader('Allow', allowed.join(', '));
    throw new FlotillaError('method_not_allowed', `This path does not accept ${request.method}`);
  };
}

/** Runs the checks of an operation in their order: 401, 403, 400; the handler gives 404. */
function serveOperation(
  context: Context,
  operation: Operation,
  { findBots, findBotsBy = 'id', handle }: AnyHandler,
): RequestHandler {
  return async (request, response) => {
    const version = context.credentials.knownVersion();
    const program = operation.alsoPrograms === true ? await programOfCall(context, request) : null;
    const caller = program === null ? await authenticate(context, operation, request, response) : null;
    requireSameOrigin(context, operation, request);
    requirePasswordChanged(operation, caller);
    requireSecondFactor(context.config, operation, caller, request);
    requireRole(operation, caller);
    // Another process may just have changed a bot. Without Redis, the snapshot is used as it is.
    await context.directory.refresh().catch(() => undefined);
    const fields = await readFields(context.bodies, operation, request, response);
    if (operation.keyed === 'input') takeKeyAsInput(request, fields);
    try {
      requireBots(context, operation, caller, fields);
      if (program !== null) requireOwnBot(operation, program, fields);
      await requireFoundBots(context, findBots, caller, fields.values.get(findBotsBy));
      requireRight(operation, caller);
      requireActive(context, operation);
      requireWritable(context, operation);
      const allowed = whileAllowed(context, { operation, request, caller, fields, version });
      // A public operation and a program have no caller; the handler reads none, and its inputs name no chat.
      const known = caller as Caller;
      const input = await resolveChat(context, operation, known, parseInput(operation.input, fields));
      const by = actorOf(caller, context.clientAddress(request), requestIn(response));
      const { file } = fields;
      const call = { input, file, caller: known, program, by, request, response, whileAllowed: allowed };
      const run = (given: Context) => whileUploading(given, call, () => handle(given, call));
      if (isKeyed(operation) && request.headers[KEY_HEADER] !== undefined) {
        await serveKeyed(context, operation, call, run);
        return;
      }
      const answer = await run(context);
      if (operation.mediaTypes === undefined) sendAnswer(operation, request, response, answer);
    } finally {
      fields.file?.destroy();
    }
  };
}

/** Runs a call; one with a file only if not too many files are being sent. */
async function whileUploading<T>(
  { uploads }: Context,
  { file, caller, response }: Call<z.ZodObject>,
  run: () => Promise<T>,
): Promise<T> {
  if (file === null) return run();
  const end = uploads.begin(caller.account.id, response);
  try {
    return await run();
  } finally {
    end();
  }
}

/** Puts the total of a list, its age and the cursor of its next page into headers. */
function sendAnswer(operation: Operation, request: Request, response: Response, answer: unknown): void {
  if (!isPaged(operation)) {
    const text = JSON.stringify(answer);
    if (setEtag(request, response, text)) response.status(304).end();
    else sendJson(response, 200, text);
    return;
  }
  const { rows, total, takenAtMs, ...page } = answer as Page<unknown>;
  if (total !== null) response.setHeader('X-Total-Count', total);
  if (takenAtMs !== undefined) response.setHeader('X-Taken-At', new Date(takenAtMs).toISOString());
  const link = linkHeader(request.originalUrl, page);
  if (link !== undefined) response.setHeader('Link', link);
  sendJson(response, 200, JSON.stringify(rows));
}
