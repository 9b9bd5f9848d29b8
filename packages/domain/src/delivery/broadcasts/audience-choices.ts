import type { AudienceChoices } from '@flotilla/contract/broadcast-audience.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

const MOST_TAGS = 20;
const MOST_LANGUAGES = 50;

/** The tags and languages of the people whom a bot can write to, and of how many; tags that contain `q`. */
export async function readAudienceChoices(
  { db }: { db: Database },
  { bot_id, q }: { bot_id: number; q: string },
): Promise<AudienceChoices> {
  const isReached = sql`exists (
    select from chats c where c.bot_id = p.bot_id and c.id = p.user_id and c.type = 'private'
      and c.last_incoming_date is not null and c.blocked_at is null)`;
  const wanted = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
  const tags = await sql<AudienceChoices['tags'][number]>`
      select min(tag) as tag, count(distinct user_id) as people from tags p
      where bot_id = ${bot_id} and lower(tag) like lower(${wanted}) and ${isReached}
      group by lower(tag) order by 2 desc, 1 limit ${MOST_TAGS}`.execute(db);
  const languages = await sql<AudienceChoices['languages'][number]>`
      select lower(split_part(language_code, '-', 1)) as language_code, count(*) as people from chat_users p
      where bot_id = ${bot_id} and chat_id = user_id and language_code is not null and ${isReached}
      group by 1 order by 2 desc, 1 limit ${MOST_LANGUAGES}`.execute(db);
  return { tags: tags.rows, languages: languages.rows };
}
