import { OK } from '@flotilla/contract/fields.ts';
import { type Reply, type ReplyResource, type replyOperations, replyResource } from '@flotilla/contract/replies.ts';
import { answerOf, settable } from '@flotilla/contract/resource.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { addReply, deleteReply, updateReply } from '@flotilla/domain/records/replies/change-replies.ts';
import { replyStore } from '@flotilla/domain/records/replies/reply-store.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
import { pageOf } from '../http/page.ts';
import { requireSeenBot } from '../operations/authorize.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';

export const replyHandlers: Handlers<typeof replyOperations> = {
  async listReplies(context, { input, caller }) {
    const { bot_id } = input;
    if (bot_id !== undefined) requireBot(context, bot_id);
    const all = await replyStore(context.db).list();
    const isFor = ({ bot_ids: bots }: Reply) => bots === null || bot_id === undefined || bots.includes(bot_id);
    const shown = all.filter((reply) => isFor(reply) && isSeen(caller, reply));
    return pageOf(
      shown.map((reply) => presentReply(caller, reply)),
      input,
      ({ id }) => String(id),
    );
  },

  async showReply(context, { input, ...call }) {
    const reply = await replyStore(context.db).find(input.id);
    if (reply === null || !isSeen(call.caller, reply)) throw new FlotillaError('not_found', 'Reply not found');
    return presentTagged(context, call, reply);
  },

  async addReply(context, { input, by, ...call }) {
    requireBots(context, call.caller, input.bot_ids);
    return presentTagged(context, call, await addReply(context, by, input));
  },

  updateReply: {
    findBots: findBotsOfReply,
    async handle(context, { input, by, ...call }) {
      const { id, ...changes } = input;
      if (changes.bot_ids !== undefined) requireBots(context, call.caller, changes.bot_ids);
      const match = matchOf(context, call, versionOf);
      return presentTagged(context, call, await updateReply(context, by, id, changes, match));
    },
  },

  deleteReply: {
    findBots: findBotsOfReply,
    async handle(context, { input, by, request }) {
      await deleteReply(context, by, input.id, matchOf(context, { request }, versionOf));
      return OK;
    },
  },
};

/** A reply for all bots belongs to none: it is changed by admins of all. */
async function findBotsOfReply({ db }: Context, id: number): Promise<number[]> {
  return (await replyStore(db).find(id))?.bot_ids ?? [];
}

function requireBots(context: Context, caller: Caller, bots: number[] | null): void {
  if (bots === null && (caller.role !== 'admin' || caller.scope.bots !== 'all')) {
    throw new FlotillaError('forbidden', 'Only an admin of all bots can save a reply for all: name bots of yours');
  }
  for (const id of bots ?? []) {
    requireSeenBot(context, caller, id);
    requireBot(context, id);
  }
}

function isSeen(caller: Caller, { bot_ids: bots }: Reply): boolean {
  return bots === null || caller.scope.bots === 'all' || bots.some((id) => seesBot(caller, id));
}

function versionOf(reply: Reply): Version {
  return { kind: 'reply', id: reply.id, fields: settable(replyResource, reply) };
}

function presentTagged(
  context: Context,
  { caller, response }: Pick<Call<z.ZodObject>, 'caller' | 'response'>,
  reply: Reply,
): ReplyResource {
  tagAnswer(context, { response }, versionOf(reply));
  return presentReply(caller, reply);
}

function presentReply(caller: Caller, reply: Reply): ReplyResource {
  const bot_ids = reply.bot_ids?.filter((id) => seesBot(caller, id)) ?? null;
  return answerOf(replyResource, { ...reply, bot_ids });
}
