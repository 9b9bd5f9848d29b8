import { OK } from '@flotilla/contract/fields.ts';
import {
  type ProgramTokenResource,
  type programTokenOperations,
  programTokenResource,
} from '@flotilla/contract/program-tokens.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { addProgramToken } from '@flotilla/domain/delivery/programs/add-program-token.ts';
import { deleteProgramToken } from '@flotilla/domain/delivery/programs/delete-program-token.ts';
import { programStore } from '@flotilla/domain/delivery/programs/program-store.ts';
import type { ProgramToken, TokenCreator } from '@flotilla/domain/delivery/programs/program-token.ts';
import { programTokenStore } from '@flotilla/domain/delivery/programs/program-token-store.ts';
import { endOfKey } from '@flotilla/domain/people/accounts/api-key.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { isOfManagedBots } from '@flotilla/telegram/method-groups.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import type { Handlers } from '../operations/handler.ts';
import { findBotOfProgram } from './programs.ts';
import { withoutNulls } from './without-nulls.ts';

export const programTokenHandlers: Handlers<typeof programTokenOperations> = {
  listProgramTokens: {
    findBots: findBotOfProgram,
    findBotsBy: 'program_id',
    async handle({ db, secrets }, { input }) {
      const { program_id, limit, offset } = input;
      const [afterId = null] = decodeCursor(input.before, ['id']) ?? [];
      if ((await programStore(db, secrets).find(program_id)) === null)
        throw new FlotillaError('not_found', 'Program not found');
      const tokens = programTokenStore(db);
      const [rows, total] = await Promise.all([
        tokens.list(program_id, { limit: limit + 1, offset, afterId }),
        tokens.count(program_id),
      ]);
      return cutPage(rows.map(presentToken), limit, total, (token) => [token.id]);
    },
  },

  addProgramToken: {
    findBots: findBotOfProgram,
    findBotsBy: 'program_id',
    async handle(context, { input, by, caller }) {
      if (input.methods?.some((name) => isOfManagedBots(name.toLowerCase()))) requireAllBots(caller);
      const { program_id, name, methods = null, chats = null, threads = null, priority = null } = input;
      const { rate, expires_at } = input;
      const { token, record } = await addProgramToken(context, by, creatorOf(caller), program_id, {
        ...{ name, methods, chats, threads, priority },
        ...{ per_second: rate?.per_second ?? null, per_minute: rate?.per_minute ?? null },
        expires_at: expires_at === undefined ? null : new Date(expires_at),
      });
      return { ...presentToken(record), token };
    },
  },

  deleteProgramToken: {
    findBots: findBotOfToken,
    async handle(context, { input, by }) {
      await deleteProgramToken(context, by, input.id);
      return OK;
    },
  },
};

function creatorOf({ account, role, apiKey }: Caller): TokenCreator {
  const { id: accountId, username } = account;
  return { role, accountId, username, keyId: apiKey?.id ?? null, endsAt: apiKey === null ? null : endOfKey(apiKey) };
}

/** Throws 'forbidden' unless the caller is an admin of all bots. */
function requireAllBots({ role, scope }: Caller): void {
  if (role === 'admin' && scope.bots === 'all') return;
  throw new FlotillaError('forbidden', 'Admin role required, for all bots: these methods give tokens of managed bots');
}

async function findBotOfToken(context: Context, id: number): Promise<number[]> {
  const token = await programTokenStore(context.db).find(id);
  return token === null ? [] : findBotOfProgram(context, token.program_id);
}

function presentToken({ token_prefix: prefix, ...token }: ProgramToken): ProgramTokenResource {
  const rate = withoutNulls({ per_second: token.per_second, per_minute: token.per_minute });
  return answerOf(programTokenResource, { ...token, prefix, rate: Object.keys(rate).length === 0 ? undefined : rate });
}
