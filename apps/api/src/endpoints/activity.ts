import type { activityOperations } from '@flotilla/contract/activity.ts';
import { readActivity } from '@flotilla/domain/records/activity/read-activity.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';

export const activityHandlers: Handlers<typeof activityOperations> = {
  async showActivity(context, { input }) {
    const botId = input.bot_id === undefined ? null : requireBot(context, input.bot_id).id;
    const points = await readActivity(context, { botId, step: input.step, fromS: input.from, toS: input.to });
    return points.map(({ atMs, ...counts }) => ({ at: new Date(atMs).toISOString(), ...counts }));
  },
};
