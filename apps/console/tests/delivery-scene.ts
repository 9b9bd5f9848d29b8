import type { TestDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import type { OpenConsole } from './open-console.ts';

/** The dead letters of a bot are of so many chats. */
export const CHATS = 10;
export const FIRST_CHAT = 500;

/** Dead letters of push, as a backend that answered 502 leaves them; every tenth update is of the same chat. */
export async function addDeadLetters(
  { db }: TestDatabase,
  bot: number,
  count: number,
  from: number,
  status = 502,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => {
    const [id, chat] = [from + at, FIRST_CHAT + (at % CHATS)];
    const message = { message_id: id, date: 1, chat: { id: chat, type: 'private' }, text: '<b>hello</b>' };
    return {
      ...{ bot_id: bot, reader: 'push', update_id: id, payload: JSON.stringify({ update_id: id, message }) },
      ...{ reason: `Wrong response from the webhook: ${status}`, reason_code: 'refused', attempts: 9 },
      ...{ last_status: status, response_excerpt: 'upstream is away' },
    };
  });
  for (let at = 0; at < rows.length; at += 500) {
    await db
      .insertInto('dead_letters')
      .values(rows.slice(at, at + 500))
      .execute();
  }
}

/** One test a second is possible for a bot, so it may need a second press. */
export async function sendTest(dialog: ReturnType<OpenConsole['page']['locator']>): Promise<void> {
  const result = dialog.getByText('The backend refused it.');
  await waitFor(
    async () => {
      await dialog.getByRole('button', { name: 'Send test' }).click();
      await result.or(dialog.getByRole('alert')).first().waitFor();
      return result.isVisible();
    },
    { timeoutMs: 60_000 },
  );
}
