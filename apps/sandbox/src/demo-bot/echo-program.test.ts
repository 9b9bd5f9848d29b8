import { expect, test } from '@jest/globals';
import { startEchoProgram } from './echo-program.ts';

test('the program of the demo bot takes updates only with its secret', async () => {
  const program = await startEchoProgram({ apiRoot: 'http://127.0.0.1:9', token: '1:a', secret: 'a secret' });
  const post = async (headers: Record<string, string>) => {
    const answer = await fetch(program.url, { method: 'POST', headers, body: '{"update_id":1}' });
    return answer.status;
  };
  const withSecret = (secret: string) => post({ 'x-telegram-bot-api-secret-token': secret });
  try {
    expect(await withSecret('a secret')).toBe(200);
    expect([await post({}), await withSecret('a secreT'), await withSecret('a'), await withSecret('')]).toEqual(
      Array(4).fill(401),
    );
  } finally {
    await program.stop();
  }
});
