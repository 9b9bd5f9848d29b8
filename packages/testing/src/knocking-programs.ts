import { setTimeout as delay } from 'node:timers/promises';
import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import { httpCall, textOf } from './http-call.ts';

/** The outcomes of the calls of programs that go on sending, whatever they are answered. */
export type Knocked = {
  calls: number;
  delivered: number;
  /** By the platform itself. */
  refused: number;
  seconds: number;
};

type Knocking = {
  control: Pick<ControlClient, 'readLimits'>;
  /** Of the api processes: the programs take them in turn. */
  urls: string[];
  bot: { token: string; platformId: number };
  /** The programs take them in turn. */
  chats: number[];
  programs: number;
  /** Between the answer to a call and the next one. */
  pauseMs: number;
  seconds: number;
};

/** Lets programs of one bot send messages to chats. The bot has limits at the simulated platform. */
export async function knock({ control, urls, bot, chats, programs, pauseMs, seconds }: Knocking): Promise<Knocked> {
  let [calls, delivered] = [0, 0];
  const refusedBefore = (await control.readLimits({ bot: bot.platformId })).refused;
  const begunAtMs = performance.now();
  const send = async (program: number): Promise<void> => {
    const url = `${urls[program % urls.length]}/tgapi/bot${bot.token}/sendMessage`;
    const headers = { 'content-type': 'application/json' };
    while (performance.now() - begunAtMs < seconds * 1000) {
      const body = JSON.stringify({ chat_id: chats[program % chats.length], text: `of program ${program}` });
      const answer = await httpCall(url, { method: 'POST', headers, body });
      await textOf(answer);
      calls += 1;
      if (answer.statusCode === 200) delivered += 1;
      await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: programs }, (_, program) => send(program)));
  const refused = (await control.readLimits({ bot: bot.platformId })).refused - refusedBefore;
  return { calls, delivered, refused, seconds: (performance.now() - begunAtMs) / 1000 };
}
