import type { routeDecisionOperations } from '@flotilla/contract/route-decisions.ts';
import { listDecisions } from '@flotilla/domain/delivery/router/choose-bot.ts';
import { keptDecisionFor } from '@flotilla/domain/delivery/router/show-decision.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';

export const routeDecisionHandlers: Handlers<typeof routeDecisionOperations> = {
  async listRouteDecisions(context, { input, caller }) {
    const bot = requireBot(context, input.bot_id);
    const kept = await listDecisions(context, bot, input.limit);
    return kept.map((decision) => keptDecisionFor(caller, bot, decision));
  },
};
