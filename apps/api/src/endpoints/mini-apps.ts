import type { miniAppOperations } from '@flotilla/contract/mini-apps.ts';
import { checkInitData } from '@flotilla/domain/fleet/bots/check-init-data.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const miniAppHandlers: Handlers<typeof miniAppOperations> = {
  async checkInitData(context, { input, program }) {
    const bot_id = input.bot_id ?? program?.bot.id;
    if (bot_id === undefined) throw refusedInput('bot_id', 'is required');
    const { token } = requireBot(context, bot_id);
    const limits = { nowMs: context.clock.nowMs(), maxAgeS: input.max_age_s };
    const checked = checkInitData(token, input.init_data, limits);
    if (checked.outcome !== 'valid') return { valid: false, reason: checked.outcome };
    const { user, chat, authDateS, start_param } = checked;
    return {
      valid: true,
      ...withoutNulls({ user, chat }),
      auth_date: authDateS,
      ...withoutNulls({ start_param }),
    };
  },
};
