import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type Knocked, knock } from '@flotilla/testing/knocking-programs.ts';
import { type Row, ratio, report } from './report.ts';

const PROGRAMS = 10;
const PAUSE_MS = 20;
const SECONDS = 60;
/** Those of the platform for a chat with a person, and for a bot; the burst and the growth are estimates. */
const GROWTH = { waitGrowth: 2, longestWaitS: 300 };
const OF_CHAT = { perChatSecond: 1, chatBurst: 10, ...GROWTH };
const OF_BOT = { perSecond: 30, ...GROWTH };
const ENOUGH = '≥ 0.95, ≥ 100 times fewer';
const NEARLY_ALL = '0.95 within 5 %';

/** The savings of the flood shield: ten programs of one bot, at two replicas, send whatever they are answered. `rows`: into so many chats. */
export async function benchFlood(database: { url: string; rows?: number }): Promise<void> {
  const fleet = await startFleet({ apis: 2, workers: 0 }, { LOG_LEVEL: 'error' }, database);
  try {
    const rows: Row[] = [];
    const ofChat = { limits: OF_CHAT, chats: 1, most: (s: number) => OF_CHAT.chatBurst + s };
    const ofBot = { limits: OF_BOT, chats: PROGRAMS, most: (s: number) => s * OF_BOT.perSecond };
    if (database.rows !== PROGRAMS) rows.push(...(await compare(fleet, 'one chat', ofChat, ENOUGH)));
    if (database.rows !== 1) rows.push(...(await compare(fleet, 'ten chats', ofBot, NEARLY_ALL)));
    report(`Flood shield, ${PROGRAMS} programs, ${SECONDS} s`, rows);
  } finally {
    await fleet.stop();
  }
}

/** `most`: what the platform takes in so many seconds. */
type Knocks = { limits: object; chats: number; most: (seconds: number) => number };

async function compare(fleet: Fleet, where: string, knocks: Knocks, target: string): Promise<Row[]> {
  const figureOf = ({ refused, delivered, seconds }: Knocked) =>
    `${refused.toLocaleString('en')} refused, ${ratio(delivered / knocks.most(seconds))} of what the platform takes`;
  const without = await knockAs(fleet, 'pass', knocks);
  const rows: Row[] = [{ what: `${where}, pass`, figure: figureOf(without) }];
  for (const flood of ['shield', 'wait'] as const) {
    const knocked = await knockAs(fleet, flood, knocks);
    const fewer = Math.round(without.refused / Math.max(1, knocked.refused));
    const figure = `${figureOf(knocked)}, ${fewer} times fewer refusals`;
    rows.push({ what: `${where}, ${flood}`, figure, target });
  }
  return rows;
}

async function knockAs(fleet: Fleet, flood: 'pass' | 'shield' | 'wait', { limits, chats }: Knocks): Promise<Knocked> {
  const { control } = fleet;
  const bot = await fleet.addBot({ flood });
  const people: number[] = [];
  for (let at = 0; at < chats; at += 1) {
    const { id } = await control.createPerson({});
    await control.startBot({ person: id, bot: bot.platformId, quietly: true });
    people.push(id);
  }
  await control.setLimits({ bot: bot.platformId, limits });
  const urls = fleet.apis.map(({ port }) => `http://127.0.0.1:${port}`);
  return knock({ control, urls, bot, chats: people, programs: PROGRAMS, pauseMs: PAUSE_MS, seconds: SECONDS });
}
