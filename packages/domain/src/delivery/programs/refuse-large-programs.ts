import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';

/** Every process has the settings of all programs in its memory, and each change publishes those of the bot anew. */
const BYTES_OF_BOT = 1024 * 1024;
/** The size of a program, or a token, beside its lists. */
const BYTES_OF_ONE = 300;

/** Throws 'bad_request' if the programs of a bot and their tokens have become too large together. */
export async function refuseLargePrograms(db: Database, botId: number): Promise<void> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from (
      select ${BYTES_OF_ONE} + octet_length(kinds) + octet_length(filter) + octet_length(backend_certificate)
        + octet_length(backend_url_sealed) + coalesce(octet_length(webhook_kinds), 0) as bytes
      from programs where bot_id = ${botId}
      union all
      select ${BYTES_OF_ONE} + coalesce(octet_length(methods), 0) + coalesce(octet_length(chats), 0) + coalesce(octet_length(threads), 0)
      from program_tokens where program_id in (select id from programs where bot_id = ${botId})
    ) sizes`.execute(db);
  if (rows[0]!.bytes <= BYTES_OF_BOT) return;
  throw new FlotillaError(
    'bad_request',
    'The programs of this bot have too many chats, methods, filters and certificates together: 1 MiB is the most',
  );
}
