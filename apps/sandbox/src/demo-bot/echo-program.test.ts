import { expect, test } from '@jest/globals';
import { startEchoProgram } from './echo-program.ts';

/** Nobody listens where it would call, so an update that leads to a call is answered with 500. */
async function startProgram() {
  const program = await startEchoProgram({ apiRoot: 'http://127.0.0.1:9', token: '1:a', secret: 'a secret' });
  const post = async (headers: Record<string, string>, update: object = {}) => {
    const body = JSON.stringify({ update_id: 1, ...update });
    return (await fetch(program.url, { method: 'POST', headers, body })).status;
  };
  const withSecret = (secret: string, update?: object) => post({ 'x-telegram-bot-api-secret-token': secret }, update);
  return { stop: program.stop, post, withSecret };
}

test('the program of the demo bot takes updates only with its secret', async () => {
  const { post, withSecret, stop } = await startProgram();
  try {
    expect(await withSecret('a secret')).toBe(200);
    expect([await post({}), await withSecret('a secreT'), await withSecret('a'), await withSecret('')]).toEqual(
      Array(4).fill(401),
    );
  } finally {
    await stop();
  }
});

test('it says back what people say, and nothing to what happens in a group', async () => {
  const { withSecret, stop } = await startProgram();
  const [ada, chat] = [
    { id: 1, first_name: 'Ada' },
    { id: -5, type: 'supergroup' },
  ];
  const told = (content: object) =>
    withSecret('a secret', { message: { message_id: 1, date: 1, chat, from: ada, ...content } });
  try {
    expect(await told({ text: 'Hello' })).toBe(500);
    expect(await told({ location: { latitude: 1, longitude: 1 } })).toBe(500);
    expect(await told({ new_chat_members: [ada] })).toBe(200);
    expect(await told({ pinned_message: { message_id: 1, date: 1, chat, text: 'Hello' } })).toBe(200);
  } finally {
    await stop();
  }
});
