import type { Operation } from '@flotilla/contract/operation.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { Actor } from '@flotilla/domain/audit/actor.ts';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { actorOf } from '../auth/actor-of.ts';
import type { Context } from '../context.ts';
import { nextLink, type Page } from './page.ts';
import { parseInput } from './parse-input.ts';
import type { RawFields } from './read-fields.ts';
import { resolveChat, type WithChatId } from './resolve-chat.ts';
import { sendJson } from './send-json.ts';

/** Runs work that takes long; throws 'unauthorized' or 'forbidden' soon after the caller may not make the call any more. */
export type WhileAllowed = <T>(work: (ended: AbortSignal) => Promise<T>) => Promise<T>;

/** A request that passed authentication, authorisation and reading. */
export interface Exchange {
  request: Request;
  response: Response;
  /** null for public operations only. */
  caller: Caller | null;
  fields: RawFields;
  whileAllowed: WhileAllowed;
}

/** An operation with what answers it. */
export interface Endpoint {
  operation: Operation;
  /** The bots of what an id names, which the caller must see too; nothing for an id that names nothing. */
  findBots?: FindBots | undefined;
  answer(context: Context, exchange: Exchange): Promise<void>;
}

export type FindBots = (context: Context, id: number) => Promise<readonly number[]>;

/** What a handler is given. */
export interface Call<Input extends z.ZodObject> {
  /** With the id of the chat where its @name was given. */
  input: WithChatId<z.output<Input>>;
  caller: Caller;
  /** The caller as the audit log names them. */
  by: Actor;
  request: Request;
  response: Response;
  /** Around whatever waits or takes long, so that it ends with the caller's credential. */
  whileAllowed: WhileAllowed;
}

type Handler<Input extends z.ZodObject, Answer> = (context: Context, call: Call<Input>) => Promise<Answer>;

/** An endpoint whose handler returns the resource, or the list of them, that is the answer. */
export function defineEndpoint<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  handle: Handler<Input, z.input<Output>>,
  findBots?: FindBots,
): Endpoint {
  const endpoint = declare(operation, async (context, call) => {
    const answer = await handle(context, call);
    sendJson(call.response, 200, JSON.stringify(answer));
  });
  return { ...endpoint, findBots };
}

/** An endpoint whose handler returns one page of a list; the total and the next page's cursor go into headers. */
export function defineListEndpoint<Input extends z.ZodObject, Row extends z.ZodType>(
  operation: Operation<Input, z.ZodArray<Row>>,
  handle: Handler<Input, Page<z.input<Row>>>,
): Endpoint {
  return declare(operation, async (context, call) => {
    const page = await handle(context, call);
    call.response.setHeader('X-Total-Count', page.total);
    if (page.next !== null) call.response.setHeader('Link', nextLink(call.request.originalUrl, page.next));
    sendJson(call.response, 200, JSON.stringify(page.rows));
  });
}

/** An endpoint whose handler returns the answer's own JSON text, so that no byte of it changes. */
export function defineRawEndpoint<Input extends z.ZodObject>(
  operation: Operation<Input>,
  handle: Handler<Input, string>,
): Endpoint {
  return declare(operation, async (context, call) => sendJson(call.response, 200, await handle(context, call)));
}

/** An endpoint whose handler writes the answer itself, bit by bit; what it throws before that is answered as usual. */
export function defineStreamEndpoint<Input extends z.ZodObject>(
  operation: Operation<Input>,
  handle: Handler<Input, void>,
): Endpoint {
  return declare(operation, handle);
}

function declare<Input extends z.ZodObject>(operation: Operation<Input>, run: Handler<Input, void>): Endpoint {
  return {
    operation,
    answer: async (context, { request, response, caller, fields, whileAllowed }) => {
      // A public operation's handler never looks at the caller: there is none. Nor does it name a chat.
      const known = caller as Caller;
      const input = await resolveChat(context, operation, known, parseInput(operation.input, fields));
      const by = actorOf(caller, context.clientAddress(request));
      await run(context, { input, caller: known, by, request, response, whileAllowed });
    },
  };
}
