import { operations } from '@flotilla/contract/operations.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { actorOf } from '../auth/authenticate.ts';
import type { Context } from '../context.ts';
import { handlers } from '../endpoints/handlers.ts';
import { requestIn } from '../http/observe-request.ts';
import { requireActive, requireRole, requireSeenBot, requireWritable } from '../operations/authorize.ts';
import type { Call } from '../operations/handler.ts';

/** The request behind the use of a tool. */
export type ToolRequest = { caller: Caller; request: Request; response: Response; ended: AbortSignal };

type Operations = typeof operations;
type OperationRow<Op> = Op extends { output: z.ZodArray<infer Item> } ? z.input<Item> : never;
type OperationAnswer<Op> = Op extends { output: infer Output extends z.ZodType } ? z.input<Output> : never;

/** Runs an operation of the REST interface for a tool, with the rights of its key. Throws as the operation does. */
export async function runOperation<Name extends keyof Operations>(
  context: Context,
  { caller, request, response, ended }: ToolRequest,
  name: Name,
  given: z.input<Operations[Name]['input']>,
): Promise<OperationAnswer<Operations[Name]>> {
  const operation = operations[name];
  requireRole(operation, caller);
  const input = operation.input.parse(given) as { bot_id?: number };
  if (input.bot_id !== undefined) requireSeenBot(context, caller, input.bot_id);
  requireActive(context, operation);
  requireWritable(context, operation);
  const handler = handlers[name];
  const handle = (typeof handler === 'function' ? handler : handler.handle) as AnyHandle;
  const by = actorOf(caller, context.clientAddress(request), requestIn(response));
  const call = { input, file: null, caller, program: null, by, request, response };
  const answer = await handle(context, { ...call, whileAllowed: (work) => work(ended) });
  return answer as OperationAnswer<Operations[Name]>;
}

/** The rows of a list: a list with pages answers a page. */
export async function listRows<Name extends keyof Operations>(
  context: Context,
  from: ToolRequest,
  name: Name,
  given: z.input<Operations[Name]['input']>,
): Promise<OperationRow<Operations[Name]>[]> {
  const answer = (await runOperation(context, from, name, given)) as unknown as {
    rows: OperationRow<Operations[Name]>[];
  };
  return answer.rows;
}

type AnyHandle = (context: Context, call: Call<z.ZodObject>) => Promise<unknown>;
