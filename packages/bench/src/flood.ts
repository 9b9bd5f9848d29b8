import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type Knocked, knock } from '@flotilla/testing/knocking-programs.ts';
import { ratio, report } from './report.ts';

const PROGRAMS = 10;
const PAUSE_MS = 20;
const SECONDS = 60;
/** Those of the platform for a chat with a person; what it allows as a burst is an estimate. */
const LIMITS = { perChatSecond: 1, chatBurst: 10, waitGrowth: 2, longestWaitS: 300 };
const SETTINGS = ['pass', 'shield', 'wait'] as const;

/** What the flood shield saves: ten programs of one bot, at two replicas, send to one chat whatever they are answered. */
export async function benchFlood(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 2, workers: 0 }, { LOG_LEVEL: 'error' }, database);
  try {
    const [without, ...shielded] = [
      await knockAs(fleet, 'pass'),
      await knockAs(fleet, 'shield'),
      await knockAs(fleet, 'wait'),
    ];
    report(`Flood shield, ${PROGRAMS} programs, ${SECONDS} s`, [
      { what: 'without: refused by the platform, delivered of what it takes', figure: figureOf(without) },
      ...shielded.map((knocked, at) => ({
        what: `${SETTINGS[at + 1]}: refused, delivered, how many times fewer refusals`,
        figure: `${figureOf(knocked)}, ${Math.round(without.refused / Math.max(1, knocked.refused))}`,
        target: '≥ 0.95 delivered, ≥ 100 times fewer',
      })),
    ]);
  } finally {
    await fleet.stop();
  }
}

async function knockAs(fleet: Fleet, flood: (typeof SETTINGS)[number]): Promise<Knocked> {
  const { control } = fleet;
  const bot = await fleet.addBot({ flood });
  const { id: chat } = await control.createPerson({});
  await control.startBot({ person: chat, bot: bot.platformId, quietly: true });
  await control.setLimits({ bot: bot.platformId, limits: LIMITS });
  const urls = fleet.apis.map(({ port }) => `http://127.0.0.1:${port}`);
  return knock({ control, urls, bot, chat, programs: PROGRAMS, pauseMs: PAUSE_MS, seconds: SECONDS });
}

function figureOf({ delivered, refused, seconds }: Knocked): string {
  return `${refused.toLocaleString('en')}, ${ratio(delivered / (LIMITS.chatBurst + seconds * LIMITS.perChatSecond))}`;
}
