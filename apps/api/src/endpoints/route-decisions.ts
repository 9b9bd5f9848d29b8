import type { routeDecisionOperations } from '@flotilla/contract/route-decisions.ts';
import { listDecisions } from '@flotilla/domain/delivery/router/choose-bot.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';

export const routeDecisionHandlers: Handlers<typeof routeDecisionOperations> = {
  async listRouteDecisions(context, { input }) {
    return listDecisions(context, requireBot(context, input.bot_id), input.limit);
  },
};
