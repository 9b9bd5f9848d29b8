import type { deliveryAttemptOperations } from '@flotilla/contract/delivery-attempts.ts';
import { type ListedAttempt, listAttempts } from '@flotilla/domain/delivery/deliveries/list-attempts.ts';
import { pageOf } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const deliveryAttemptHandlers: Handlers<typeof deliveryAttemptOperations> = {
  async listDeliveryAttempts(context, { input }) {
    const attempts = await listAttempts(context, requireBot(context, input.bot_id), input.program_id ?? null);
    return pageOf(attempts.map(presentAttempt), input, ({ id }) => id);
  },
};

function presentAttempt({ revision: _own, programName, request, excerpt, ...attempt }: ListedAttempt) {
  return {
    ...attempt,
    ...withoutNulls({ program_name: programName }),
    ...(request === null ? {} : { request }),
    ...(excerpt === null ? {} : { response_content_type: excerpt.type, response_excerpt: excerpt.text }),
  };
}
