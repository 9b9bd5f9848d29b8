import type { activityOperations } from '@flotilla/contract/activity.ts';
import { sendingReaders } from '@flotilla/domain/fleet/bots/sending-readers.ts';
import { readActivity } from '@flotilla/domain/records/activity/read-activity.ts';
import { readActivityOfBots } from '@flotilla/domain/records/activity/read-activity-of-bots.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { presentQuality } from '../present/present-quality.ts';

export const activityHandlers: Handlers<typeof activityOperations> = {
  async showActivity(context, { input }) {
    const { step, from: fromS, to: toS, reader = null } = input;
    const bot = input.bot_id === undefined ? null : requireBot(context, input.bot_id);
    if (bot === null && reader !== null) throw refusedInput('reader', 'needs `bot_id`');
    const of = bot === null ? null : { botId: bot.id, readers: sendingReaders(bot), reader };
    const points = await readActivity(context, { of, step, fromS, toS });
    return points.map(({ atMs, quality, ...counts }) => ({
      at: new Date(atMs).toISOString(),
      ...counts,
      ...presentQuality(quality),
      ...(quality === null ? {} : { p50_ms: quality.p50_ms }),
    }));
  },

  async listBotActivity({ directory, ...context }, { input }) {
    const bots = [...new Set(input.bot_ids)].flatMap((id) => directory.byId(id) ?? []);
    const of = bots.map((bot) => ({ botId: bot.id, readers: sendingReaders(bot) }));
    const found = await readActivityOfBots(context, of);
    return found.map(({ bot_id, delivered, quality }) => ({ bot_id, ...presentQuality(quality), delivered }));
  },
};
