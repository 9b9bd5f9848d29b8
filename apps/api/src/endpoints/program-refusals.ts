import type { programRefusalOperations } from '@flotilla/contract/program-refusals.ts';
import { programStore } from '@flotilla/domain/delivery/programs/program-store.ts';
import { programTokenStore } from '@flotilla/domain/delivery/programs/program-token-store.ts';
import { listRefusals } from '@flotilla/domain/delivery/refusals/list-refusals.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { pageOf } from '../http/page.ts';
import type { Handlers } from '../operations/handler.ts';
import { findBotOfProgram } from './programs.ts';
import { withoutNulls } from './without-nulls.ts';

export const programRefusalHandlers: Handlers<typeof programRefusalOperations> = {
  listProgramRefusals: {
    findBots: findBotOfProgram,
    async handle({ db, redis, secrets }, { input }) {
      const program = await programStore(db, secrets).find(input.id);
      if (program === null) throw new FlotillaError('not_found', 'Program not found');
      const refusals = await listRefusals({ redis }, program);
      const nameOf = await programTokenStore(db).namesOf(program.id);
      const shown = refusals.map(({ atMs, tokenId, method, reason, description, chatId }) => ({
        ...{ at: new Date(atMs).toISOString(), reason, description },
        ...withoutNulls({
          token_id: tokenId,
          token_name: tokenId === null ? null : (nameOf.get(tokenId) ?? null),
          method: method === '' ? null : method,
          chat_id: chatId,
        }),
      }));
      return pageOf(shown, input, ({ at, token_id, method, chat_id }) => [at, token_id, method, chat_id].join(' '));
    },
  },
};
