import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { deletionStore } from '@flotilla/domain/fleet/bots/deletion-store.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { deleteChat } from '@flotilla/domain/records/chats/delete-chat.ts';
import { messageStore } from '@flotilla/domain/records/messages/message-store.ts';
import { removeDeleted } from '@flotilla/domain/records/retention/remove-deleted.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { sql } from 'kysely';
import { OLD_CHAT, storeCorpus } from './chat-corpus.ts';
import { percentile } from './percentile.ts';
import { ms, perSecond, report } from './report.ts';

const ROWS = 200_000;
const LATE_MS = 120_000;

/** Deletes a large chat, then the bot. Measures the wait of the caller and the slowdown of a concurrent writer. */
export async function benchRemoval({ url, rows = ROWS }: { url: string; rows?: number }): Promise<void> {
  const db = connectDatabase({ url, maxConnections: 4, queryTimeoutMs: null });
  try {
    const botId = await storedBot(db);
    const other = await storedBot(db);
    await storeCorpus(db, botId, rows);
    await sql`vacuum analyze messages`.execute(db);
    const chat = await timed(() => deleteChat({ db, clock: systemClock }, OPERATOR, botId, OLD_CHAT));
    const look = await timed(() => lookAt(db, botId));
    const ofChat = await removeBeside(db, other);
    const bot = await timed(() =>
      db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('bots').where('id', '=', botId).execute();
        await deletionStore(transaction).addBot(botId);
      }),
    );
    const ofBot = await removeBeside(db, other);
    report(`Deleting, ${rows.toLocaleString('en')} messages stored`, [
      { what: 'a chat of two fifths of them: the caller waits', figure: ms(chat), target: '≤ 100 ms' },
      { what: 'listing and counting it right after', figure: ms(look) },
      { what: 'its messages removed in the background', figure: perSecond((rows * 400) / ofChat.tookMs) },
      { what: 'the bot: the caller waits', figure: ms(bot), target: '≤ 100 ms' },
      { what: 'its messages removed in the background', figure: perSecond((rows * 600) / ofBot.tookMs) },
      { what: 'a batch of 50 written meanwhile, p50', figure: ms(percentile(ofBot.writes, 50)) },
      { what: 'a batch of 50 written meanwhile, p99', figure: ms(percentile(ofBot.writes, 99)) },
    ]);
  } finally {
    await db.destroy();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}

async function lookAt(db: Database, botId: number): Promise<void> {
  const store = messageStore(db);
  const chat = { bot_id: botId, chat_id: OLD_CHAT };
  await store.list(chat, { limit: 50, offset: 0, before: null, include_deleted: false });
  await store.count(chat, { include_deleted: false });
}

async function removeBeside(db: Database, otherBot: number): Promise<{ tookMs: number; writes: number[] }> {
  const writes: number[] = [];
  let done = false;
  const clock = { nowMs: () => Date.now() + LATE_MS };
  const removing = timed(() => removeDeleted({ db, clock, signal: new AbortController().signal })).finally(() => {
    done = true;
  });
  for (let at = 0; !done; at += 50) {
    const batch = Array.from({ length: 50 }, (_, more) => ({
      chat_id: 7,
      id: at + more,
      date: at,
      text: `word ${at}`,
    }));
    writes.push(await timed(() => storeMessages(db, otherBot, batch)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { tookMs: await removing, writes };
}
