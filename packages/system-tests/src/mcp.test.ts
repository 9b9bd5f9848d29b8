import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

let fleet: Fleet;
let bot: FleetBot;
let ada: number;
let client: Client;

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 1 });
  bot = await fleet.addBot({ long_poll_enabled: true });
  ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
  await fleet.control.startBot({ person: ada, bot: bot.platformId, quietly: true });
  const chats = [{ bot_id: bot.id, chat_id: ada }];
  const made = { name: 'agent', mcp: 'write', mcp_chats: chats };
  const { key } = await fleet.rest<{ key: string }>('/api/auth/api-keys', made);
  client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${fleet.url}/mcp`), { requestInit: { headers } }));
}, 60_000);
afterAll(async () => {
  await client?.close();
  await fleet?.stop();
}, 60_000);

async function use<Answer>(name: string, input: object): Promise<Answer> {
  const answer = await client.callTool({ name, arguments: { bot_id: bot.id, chat_id: ada, ...input } });
  expect(answer.isError ?? false).toBe(false);
  return JSON.parse((answer.content as { text: string }[])[0]?.text ?? '') as Answer;
}

test('an agent asks through a load balancer, and gets the answer that a person gives', async () => {
  const asked = use<{ question: { state: string; option: string } }>('ask', {
    text: 'Deploy?',
    options: ['Yes', 'No'],
  });
  const buttons = () =>
    waitFor(
      async () => {
        const { messages } = await fleet.control.readChat({ person: ada, bot: bot.platformId });
        return messages.find(({ reply_markup: markup }) => markup !== undefined);
      },
      { message: 'the question' },
    );
  const message = (await buttons()) as { message_id: number };
  await fleet.control.pressButton({ person: ada, bot: bot.platformId, messageId: message.message_id, text: 'Yes' });
  expect((await asked).question).toMatchObject({ state: 'answered', option: 'Yes' });
});

/** Waits again and again, like an agent, until it hears this; the press before may come as well. */
async function heardAfter(messageId: number, text: string): Promise<void> {
  type Heard = { messages: { message_id: number; foreign: { text: string } }[] };
  const { messages } = await use<Heard>('wait_for_message', { after_message_id: messageId });
  if (messages.some(({ foreign }) => foreign.text === text)) return;
  await heardAfter(messages.at(-1)?.message_id ?? messageId, text);
}

test('an agent waits for a message that the program of the bot gets, too', async () => {
  const waiting = heardAfter(0, 'for both');
  await fleet.control.sendMessage({ person: ada, bot: bot.platformId, text: 'for both' });
  await waiting;
  const polled = await fleet.rest<{ result: object[] }>(`/api/updates/poll?bot_id=${bot.id}&timeout=5`);
  expect(JSON.stringify(polled.result)).toContain('for both');
});

test('every replica serves it: tools are used while one of them ends', async () => {
  const [first] = fleet.apis.splice(0, 1);
  await first?.stop();
  for (let times = 0; times < 3; times += 1) {
    expect(await use<{ message_id: number }>('send_message', { text: `${times}` })).toMatchObject({
      message_id: expect.any(Number),
    });
  }
});
