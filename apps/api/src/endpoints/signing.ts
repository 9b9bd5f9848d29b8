import { OK } from '@flotilla/contract/fields.ts';
import type { signingOperations } from '@flotilla/contract/signing.ts';
import { changeSigning } from '@flotilla/domain/bots/change-signing.ts';
import type { Signing } from '@flotilla/domain/bots/signing.ts';
import { changeProgramSigning } from '@flotilla/domain/programs/change-program-signing.ts';
import type { Handlers } from '../http/handler.ts';
import { findBotOfProgram, requireChanger } from './programs.ts';
import { withoutNulls } from './without-nulls.ts';

export const signingHandlers: Handlers<typeof signingOperations> = {
  async enableBotSigning(context, { input, by }) {
    return presentNew(await changeSigning(context, by, input.id, 'enable'));
  },

  async rotateBotSigning(context, { input, by }) {
    return presentNew(await changeSigning(context, by, input.id, 'rotate'));
  },

  async removeBotSigning(context, { input, by }) {
    await changeSigning(context, by, input.id, 'remove');
    return OK;
  },

  enableProgramSigning: {
    findBots: findBotOfProgram,
    async handle(context, { input, by, caller }) {
      await requireChanger(context, caller, input.id);
      return presentNew(await changeProgramSigning(context, by, input.id, 'enable'));
    },
  },

  rotateProgramSigning: {
    findBots: findBotOfProgram,
    async handle(context, { input, by, caller }) {
      await requireChanger(context, caller, input.id);
      return presentNew(await changeProgramSigning(context, by, input.id, 'rotate'));
    },
  },

  removeProgramSigning: {
    findBots: findBotOfProgram,
    async handle(context, { input, by, caller }) {
      await requireChanger(context, caller, input.id);
      await changeProgramSigning(context, by, input.id, 'remove');
      return OK;
    },
  },
};

function presentNew(signing: Signing | null): { signing_secret: string; previous_valid_until?: string } {
  const { secret = '', previous = null } = signing ?? {};
  const until = previous === null ? null : new Date(previous.untilMs).toISOString();
  return { signing_secret: secret, ...withoutNulls({ previous_valid_until: until }) };
}
