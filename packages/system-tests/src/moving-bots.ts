import type { MovePlan, ShownMove } from '@flotilla/contract/bot-moves.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import type { SideBySide } from './servers-side-by-side.ts';

export const MOVED_WITHIN_MS = 30_000;

type Moved = { plan: MovePlan; moving?: ShownMove };
export type Update = { update_id: number; message?: { text: string } };

/** How tests move bots, and look at what becomes of them. */
export function movingBots({ fleet, cloud }: Pick<SideBySide, 'fleet' | 'cloud'>) {
  const shown = (bot: Pick<FleetBot, 'id'>) => fleet.rest<BotResource>(`/api/bots/show?id=${bot.id}`);
  return {
    shown,
    move: (bot: FleetBot, upstream: string, fields: object = {}) =>
      fleet.rest<Moved>('/api/bots/move', { id: bot.id, upstream, ...fields }),

    arrives: (bot: FleetBot, upstream: string) =>
      waitFor(
        async () => {
          const { upstream: now, moving } = await shown(bot);
          return now === upstream && moving === undefined;
        },
        { timeoutMs: MOVED_WITHIN_MS, message: `the bot being at ${upstream}` },
      ),

    reaches: (bot: FleetBot, step: ShownMove['step']) =>
      waitFor(async () => (await shown(bot)).moving?.step === step, {
        timeoutMs: MOVED_WITHIN_MS,
        message: `the step ${step}`,
      }),

    waitsFor: (bot: FleetBot, reason: string) =>
      waitFor(async () => (await shown(bot)).moving?.reason?.includes(reason), {
        timeoutMs: MOVED_WITHIN_MS,
        message: `the reason ${reason}`,
      }),

    async botWithPerson(fields: object = {}, platform: object = {}) {
      const made = await cloud.createBot(platform);
      const { id } = await fleet.rest<{ id: number }>('/api/bots/add', {
        ...{ token: made.token, long_poll_enabled: true, ...fields },
      });
      const bot: FleetBot = { id, token: made.token, platformId: made.id, username: made.username };
      const { id: person } = await cloud.createPerson({});
      await cloud.startBot({ person, bot: bot.platformId, quietly: true });
      return { bot, person, say: (text: string) => cloud.sendMessage({ person, bot: made.id, text }) };
    },

    /** Reads as the bot's program does, from the id after the last one. */
    reader(bot: FleetBot) {
      const got: Update[] = [];
      return {
        got,
        until: (text: string) =>
          waitFor(
            async () => {
              const offset = (got.at(-1)?.update_id ?? -1) + 1;
              const { token } = await fleet.rest<{ token: string }>(`/api/bots/show?id=${bot.id}`);
              const url = `${fleet.url}/tgapi/bot${token}/getUpdates?offset=${offset}&timeout=1`;
              const answer = (await (await fetch(url)).json()) as { result?: Update[] };
              got.push(...(answer.result ?? []));
              return got.some(({ message }) => message?.text === text);
            },
            { timeoutMs: MOVED_WITHIN_MS, message: text },
          ),
        texts: () => got.map(({ message }) => message?.text),
        idsRise: () => got.every(({ update_id: id }, at) => at === 0 || id > got[at - 1]!.update_id),
      };
    },
  };
}
