import type { Operation } from '@flotilla/contract/operation.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { IncomingFile } from '../http/incoming-file.ts';
import type { Page } from '../http/page.ts';
import type { WithChatId } from './bot-of-call.ts';

/**
 * Runs long work; throws 'unauthorized' or 'forbidden' soon after the caller has lost the right to the call. `check`
 * gets the caller with its new rights, and throws if the work may not go on with them.
 */
export type WhileAllowed = <T>(work: (ended: AbortSignal) => Promise<T>, check?: (now: Caller) => void) => Promise<T>;

/** A call that passed authentication, authorisation and validation. */
export interface Call<Input extends z.ZodObject> {
  /** If the caller gave the @name of a chat, this has its id. */
  input: WithChatId<z.output<Input>>;
  /** The file of a form, which has come in part only. It is destroyed when the handler is done. */
  file: IncomingFile | null;
  caller: Caller;
  /** The program whose token made the call, of an operation that is open to programs; it has no caller then. */
  program: ProgramCredential | null;
  /** The caller as the audit log names them. */
  by: Actor;
  request: Request;
  response: Response;
  /** Run waiting and long work in it, so that the work ends with the caller's credential. */
  whileAllowed: WhileAllowed;
}

/** The result of a handler: one page of a list, or the resource. */
type OperationAnswer<Op extends Operation> =
  Op['output'] extends z.ZodArray<infer Row>
    ? 'before' extends keyof Op['input']['shape']
      ? Page<z.input<Row>>
      : z.input<Op['output']>
    : z.input<Op['output']>;

/** If the operation names media types, the handler writes the answer itself. */
type Handle<Op extends Operation> = (
  context: Context,
  call: Call<Op['input']>,
) => Op['mediaTypes'] extends undefined ? Promise<OperationAnswer<Op>> : Promise<void>;

/** The bots of the resource that an id names; the caller must see them, too. Nothing if the id names nothing. */
export type FindBots = (context: Context, id: number) => Promise<readonly number[]>;

/** The handler of an operation. `findBots` is needed when its `id` names something that belongs to bots. */
export type Handler<Op extends Operation> =
  | Handle<Op>
  | { findBots: FindBots /** The input with the id. ['id'] */; findBotsBy?: string; handle: Handle<Op> };

/** The handlers of a resource: one for each of its operations, under the same name. */
export type Handlers<Operations extends Record<string, Operation>> = {
  readonly [Name in keyof Operations]: Handler<Operations[Name]>;
};
