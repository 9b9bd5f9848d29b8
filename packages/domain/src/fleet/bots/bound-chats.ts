import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { programKeys } from '@flotilla/redis/keys.ts';
import { sql } from 'kysely';
import type { ActiveProgram } from './active-program.ts';

type PublishDeps = { db: Database; redis: RedisHandles };
type Publishable = { id: number; programs: Pick<ActiveProgram, 'id' | 'chats_revision'>[] };

const AT_ONCE = 1_000;
const STAGED_S = 60;

/** In the set of bound chats: the revision that the set has. No chat has such an id. */
const markOf = (revision: number): string => `@${revision}`;

/**
 * Brings the sets of bound chats of a bot's programs in Redis to the revision that its configuration names. Call it before
 * that configuration is published: updates are accepted by it, and then the chats are in the sets.
 */
export async function publishBoundChats(deps: PublishDeps, { id: botId, programs }: Publishable): Promise<void> {
  const binding = programs.filter(({ chats_revision: revision }) => revision > 0);
  if (binding.length === 0) return;
  const known = await deps.redis.runMany(
    binding.map(({ id, chats_revision }) => ['sismember', programKeys(botId, id).chats, markOf(chats_revision)]),
  );
  for (const [at, { id }] of binding.entries()) {
    if (known[at] !== 1) await publishChats(deps, botId, id);
  }
}

/** The lock keeps a slower process from writing older chats over newer ones. */
function publishChats({ db, redis }: PublishDeps, botId: number, programId: number): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const program = await transaction
      .selectFrom('programs')
      .select('chats_revision')
      .where('id', '=', programId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (program === undefined) return;
    const { chats_revision: revision } = program;
    const { commands } = redis;
    const { chats: key, stagedChats: staged } = programKeys(botId, programId);
    const lastMark = markOf(revision - 1);
    if ((await commands.sismember(key, lastMark)) === 1) {
      const added = await chatsOf(transaction, botId, programId, revision);
      // A removal leaves no row of its revision.
      if (added.length > 0) {
        await commands.sadd(key, ...added, markOf(revision));
        await commands.srem(key, lastMark);
        return;
      }
    }
    const chats = [markOf(revision), ...(await chatsOf(transaction, botId, programId, 0))];
    await commands.del(staged);
    for (let from = 0; from < chats.length; from += AT_ONCE) {
      await commands.sadd(staged, ...chats.slice(from, from + AT_ONCE));
      await commands.expire(staged, STAGED_S);
    }
    await commands.persist(staged);
    await commands.rename(staged, key);
  });
}

/** The chats of a program that were bound since a revision; with a supergroup also the group that it was. */
async function chatsOf(db: Database, botId: number, programId: number, since: number): Promise<string[]> {
  const { rows } = await sql<{ chat: string }>`
    with bound as (select chat_id from program_chats where program_id = ${programId} and revision >= ${since})
    select chat_id::text as chat from bound
    union all
    select c.id::text from chats c where c.bot_id = ${botId} and c.migrated_to_chat_id in (select chat_id from bound)`.execute(
    db,
  );
  return rows.map(({ chat }) => chat);
}
