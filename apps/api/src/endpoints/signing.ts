import { OK } from '@flotilla/contract/fields.ts';
import type { signingOperations } from '@flotilla/contract/signing.ts';
import { changeProgramSigning } from '@flotilla/domain/delivery/programs/change-program-signing.ts';
import { changeSigning } from '@flotilla/domain/fleet/bots/change-signing.ts';
import type { Signing } from '@flotilla/domain/fleet/bots/signing.ts';
import type { Handlers } from '../operations/handler.ts';
import { findBotOfProgram } from './programs.ts';
import { withoutNulls } from './without-nulls.ts';

export const signingHandlers: Handlers<typeof signingOperations> = {
  async rotateBotSigning(context, { input, by }) {
    return presentNew(await changeSigning(context, by, input.bot_id, 'rotate'));
  },

  async removeBotSigning(context, { input, by }) {
    await changeSigning(context, by, input.bot_id, 'remove');
    return OK;
  },

  rotateProgramSigning: {
    findBots: findBotOfProgram,
    findBotsBy: 'program_id',
    async handle(context, { input, by }) {
      return presentNew(await changeProgramSigning(context, by, input.program_id, 'rotate'));
    },
  },

  removeProgramSigning: {
    findBots: findBotOfProgram,
    findBotsBy: 'program_id',
    async handle(context, { input, by }) {
      await changeProgramSigning(context, by, input.program_id, 'remove');
      return OK;
    },
  },
};

function presentNew(signing: Signing | null): { signing_secret: string; previous_valid_until?: string } {
  const { secret = '', previous = null } = signing ?? {};
  const until = previous === null ? null : new Date(previous.untilMs).toISOString();
  return { signing_secret: secret, ...withoutNulls({ previous_valid_until: until }) };
}
