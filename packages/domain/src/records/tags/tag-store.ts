import type { Database } from '@flotilla/database/connect.ts';
import type { TagsTable } from '@flotilla/database/tables.ts';
import type { Selectable } from 'kysely';

export type Tag = Selectable<TagsTable>;

export interface NewTag {
  botId: number;
  chatId: number;
  userId: number;
  /** undefined: the username that was last seen in the chat. */
  username: string | undefined;
  tag: string;
  color: string;
}

export interface TagQuery {
  botId: number;
  chatId: number;
  /** undefined: all users. */
  userId: number | undefined;
}

/** SQL of tags. */
export function tagStore(db: Database) {
  const tagsOf = ({ botId, chatId, userId }: TagQuery) => {
    const tags = db.selectFrom('tags').where('bot_id', '=', botId).where('chat_id', '=', chatId);
    return userId === undefined ? tags : tags.where('user_id', '=', userId);
  };
  return {
    /** Oldest first. The page begins after `afterId`. */
    list(query: TagQuery, page: { limit: number; offset: number; afterId: number | null }): Promise<Tag[]> {
      let tags = tagsOf(query).selectAll().orderBy('id').limit(page.limit).offset(page.offset);
      if (page.afterId !== null) tags = tags.where('id', '>', page.afterId);
      return tags.execute();
    },

    async count(query: TagQuery): Promise<number> {
      const { count } = await tagsOf(query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The tags that others in the chat have and this user has not, the one of most people first. */
    ofOthers(
      { botId, chatId, userId }: { botId: number; chatId: number; userId: number },
      limit: number,
    ): Promise<Pick<Tag, 'tag' | 'color'>[]> {
      const own = db.selectFrom('tags').select('tag').where('bot_id', '=', botId).where('chat_id', '=', chatId);
      return tagsOf({ botId, chatId, userId: undefined })
        .where('tag', 'not in', own.where('user_id', '=', userId))
        .select((row) => ['tag', row.fn.max('color').as('color')])
        .groupBy('tag')
        .orderBy((row) => row.fn.countAll(), 'desc')
        .orderBy('tag')
        .limit(limit)
        .execute();
    },

    async botOf(id: number): Promise<number | null> {
      const tag = await db.selectFrom('tags').select('bot_id').where('id', '=', id).executeTakeFirst();
      return tag?.bot_id ?? null;
    },

    /** Returns null when the user has this tag already. */
    async insert({ botId, chatId, userId, username, tag, color }: NewTag): Promise<Tag | null> {
      const inserted = await db
        .insertInto('tags')
        .values((row) => ({
          bot_id: botId,
          chat_id: chatId,
          user_id: userId,
          username:
            username ??
            row
              .selectFrom('chat_users')
              .select('username')
              .where('bot_id', '=', botId)
              .where('chat_id', '=', chatId)
              .where('user_id', '=', userId),
          tag,
          color,
        }))
        .onConflict((conflict) => conflict.columns(['bot_id', 'chat_id', 'user_id', 'tag']).doNothing())
        .returningAll()
        .executeTakeFirst();
      return inserted ?? null;
    },

    /** Returns the removed tag, or null when there was none. */
    async remove(id: number): Promise<Tag | null> {
      return (await db.deleteFrom('tags').where('id', '=', id).returningAll().executeTakeFirst()) ?? null;
    },
  };
}
