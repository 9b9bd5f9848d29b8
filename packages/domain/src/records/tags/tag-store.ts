import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { NewTag, Tag } from '@flotilla/contract/tags.ts';
import type { Database } from '@flotilla/database/connect.ts';

/** Without a user: of all. */
export type TagQuery = ChatOfBot & { user_id?: number | undefined };

/** SQL of tags. */
export function tagStore(db: Database) {
  const tagsOf = ({ bot_id, chat_id, user_id }: TagQuery) => {
    const tags = db.selectFrom('tags').where('bot_id', '=', bot_id).where('chat_id', '=', chat_id);
    return user_id === undefined ? tags : tags.where('user_id', '=', user_id);
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
      { bot_id, chat_id, user_id }: ChatOfBot & { user_id: number },
      limit: number,
    ): Promise<Pick<Tag, 'tag' | 'color'>[]> {
      const own = db.selectFrom('tags').select('tag').where('bot_id', '=', bot_id).where('chat_id', '=', chat_id);
      return tagsOf({ bot_id, chat_id })
        .where('tag', 'not in', own.where('user_id', '=', user_id))
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
    async insert(tag: NewTag): Promise<Tag | null> {
      const inserted = await db
        .insertInto('tags')
        .values((row) => ({
          ...tag,
          username:
            tag.username ??
            row
              .selectFrom('chat_users')
              .select('username')
              .where('bot_id', '=', tag.bot_id)
              .where('chat_id', '=', tag.chat_id)
              .where('user_id', '=', tag.user_id),
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
