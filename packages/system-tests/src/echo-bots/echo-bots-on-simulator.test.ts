import { controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  editText,
  LARGE_FILE_BYTES,
  openEchoSession,
  pressButton,
  sayText,
  sendFile,
  textsOfBot,
} from './echo-session.ts';
import { LIBRARIES, startEchoBot } from './start-echo-bot.ts';

let simulator: RunningSimulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

describe.each(LIBRARIES)('an echo bot in %s, directly on the simulator', (library) => {
  test.each(['pull', 'webhook'] as const)(
    'echoes texts in order, files, a press and an edit in %s mode',
    async (mode) => {
      const control = controlClient(simulator.url);
      const bot = await control.createBot({});
      const echoBot = await startEchoBot(library, {
        apiRoot: simulator.url,
        token: bot.token,
        mode,
        secret: 'a-secret_1',
      });
      try {
        const session = await openEchoSession(control, bot.id);
        expect((await sayText(session, 'hello, wörld & <b>')).text).toBe('hello, wörld & <b>');

        const photo = await sendFile(session, { kind: 'photo', name: 'p.jpg', bytes: 40_000 });
        expect(photo.echoed.photo).toBeDefined();
        expect(photo.echoed.file?.sha256).toBe(photo.sentSha256);

        const document = await sendFile(session, { kind: 'document', name: 'a report.bin', bytes: LARGE_FILE_BYTES });
        expect(document.echoed.file).toMatchObject({ name: 'a report.bin', sha256: document.sentSha256 });

        expect(await pressButton(session)).toEqual({ text: 'pressed', answered: 'ok' });
        expect((await editText(session, 'better')).text).toBe('edited: better');

        const talk = await openEchoSession(control, bot.id);
        const said = Array.from({ length: 20 }, (_, number) => `number ${number}`);
        for (const text of said) await control.sendMessage({ person: talk.person, bot: bot.id, text });
        expect(await textsOfBot(talk, said.length)).toEqual(said);

        const webhook = await control.readWebhook({ bot: bot.id });
        expect([webhook.url === '', webhook.secretToken]).toEqual(mode === 'pull' ? [true, ''] : [false, 'a-secret_1']);
      } finally {
        await echoBot.stop();
      }
    },
    90_000,
  );
});
