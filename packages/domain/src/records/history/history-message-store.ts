import type { Database } from '@flotilla/database/connect.ts';
import { POLL_ID_PATTERN } from '@flotilla/database/poll-id.ts';
import { searchColumn } from '@flotilla/database/search-query.ts';
import type { PollDetails } from '@flotilla/telegram/message-details.ts';
import { type RawBuilder, sql } from 'kysely';
import type { FoldedDeletion, FoldedMessage, FoldedPoll } from './effects/history-fold.ts';
import { isAnswer, isOfPerson } from './message-side.ts';
import { type ReplacedRow, settleDates } from './settle-dates.ts';
import { type Column, unnestRows } from './unnest-rows.ts';

export interface ChatCount {
  bot_id: number;
  chat_id: number;
  count: number;
}

/** A summary of the messages that were written to a conversation. Dates are Unix seconds; null: no such one. */
export interface WrittenToChat extends ChatCount {
  /** '' for the bot's own chat. */
  business_connection_id: string;
  replaced: number;
  last_id: number;
  last_date: number;
  last_incoming_date: number | null;
  last_incoming_id: number | null;
  last_answer_date: number | null;
  last_answer_id: number | null;
}

const MESSAGE_COLUMNS: Column<FoldedMessage>[] = [
  ['bigint', (row) => row.bot_id],
  ['text', (row) => row.business_connection_id],
  ['bigint', (row) => row.chat_id],
  ['bigint', (row) => row.id],
  ['bigint', (row) => row.user_id],
  ['text', (row) => row.username],
  ['text', (row) => row.first_name],
  ['text', (row) => row.last_name],
  ['text', (row) => row.text],
  ['bigint', (row) => row.date],
  ['text', (row) => row.media_type],
  ['text', (row) => row.file_id],
  ['bigint', (row) => row.reply_to_message_id],
  ['bigint', (row) => row.edit_date],
  ['boolean', (row) => row.outgoing],
  ['text', (row) => row.service],
  ['json', detailsColumn],
  ['bigint', (row) => row.program_id],
  ['json', (row) => (row.automatic === null ? null : JSON.stringify(row.automatic))],
  ['bigint', (row) => row.position ?? null],
  ['text', (row) => searchColumn({ ...row, text: searchedText(row) })],
];

/** All words that a person sees in a message. */
function searchedText({ text, details }: Pick<FoldedMessage, 'text' | 'details'>): string | null {
  if (details === null) return text;
  const { quote, poll, buttons = [], keyboard = [], file_name, performer, title } = details;
  const options = poll?.options.map((option) => option.text) ?? [];
  const labels = [...buttons.flat().map((button) => button.text), ...keyboard.flat()];
  const words = [text, quote, ...options, ...labels, file_name, performer, title].filter((one) => one);
  return words.length === 0 ? null : words.join('\n');
}

/** A vote changes no words, and then the index of words need not be touched. */
function withPoll(row: StoredWithPoll, poll: PollDetails): MessageWithPoll {
  const changed = { ...row, details: { ...row.details, poll } };
  const [before, after] = [searchedText(row), searchedText(changed)];
  return { ...changed, search: before === after ? null : searchColumn({ ...changed, text: after }) };
}

/** `thread_id` and the poll come first, where the table and its index look for them. */
function detailsColumn({ details }: Pick<FoldedMessage, 'details'>): string | null {
  if (details === null) return null;
  const { thread_id, poll, ...others } = details;
  return JSON.stringify({ thread_id, poll, ...others });
}

type StoredWithPoll = Pick<
  FoldedMessage,
  'bot_id' | 'business_connection_id' | 'chat_id' | 'id' | 'date' | 'text' | 'details'
>;
/** `search`: null leaves it as it is. */
type MessageWithPoll = StoredWithPoll & { search: string | null };

/** The expression of the index. */
const POLL_ID = sql`substring(m.details::text from ${sql.lit(POLL_ID_PATTERN)})`;

const POLL_COLUMNS: Column<FoldedPoll>[] = [
  ['bigint', (poll) => poll.bot_id],
  ['text', (poll) => poll.id],
];

const MESSAGE_WITH_POLL_COLUMNS: Column<MessageWithPoll>[] = [
  ['bigint', (row) => row.bot_id],
  ['text', (row) => row.business_connection_id],
  ['bigint', (row) => row.chat_id],
  ['bigint', (row) => row.id],
  ['bigint', (row) => row.date],
  ['json', detailsColumn],
  ['text', (row) => row.search],
];

const DELETION_COLUMNS: Column<FoldedDeletion>[] = [
  ['bigint', (deletion) => deletion.bot_id],
  ['text', (deletion) => deletion.business_connection_id],
  ['bigint', (deletion) => deletion.chat_id],
  ['bigint', (deletion) => deletion.id],
  ['timestamptz', (deletion) => new Date(deletion.atMs)],
];

/**
 * The history writer's statements about messages, each for many rows, which it takes out of their array; `db` may be a
 * transaction.
 */
export function historyMessageStore(db: Database) {
  return {
    /** Messages outside business connections, by bot, chat and id. */
    async findMessages(keys: { bot_id: number; chat_id: number; id: number }[]): Promise<FoldedMessage[]> {
      const wanted = await unnestRows(keys, [
        ['bigint', (key) => key.bot_id],
        ['bigint', (key) => key.chat_id],
        ['bigint', (key) => key.id],
      ]);
      const { rows } = await sql<FoldedMessage>`
        select m.bot_id, m.business_connection_id, m.chat_id, m.id, m.user_id, m.username, m.first_name, m.last_name,
          m.text, m.date, m.media_type, m.file_id, m.reply_to_message_id, m.edit_date, m.outgoing, m.service,
          m.details, m.program_id, m.automatic
        from ${wanted} as wanted (bot_id, chat_id, id)
        join messages m on m.bot_id = wanted.bot_id and m.business_connection_id = ''
          and m.chat_id = wanted.chat_id and m.id = wanted.id`.execute(db);
      return rows;
    },

    /** The chats of messages that are known by connection and id alone. */
    async findBusinessChats(deletions: FoldedDeletion[]): Promise<FoldedDeletion[]> {
      const gone = await unnestRows(deletions, DELETION_COLUMNS);
      const { rows } = await sql<{
        bot_id: number;
        business_connection_id: string;
        chat_id: number;
        id: number;
        at: Date;
      }>`
        select m.bot_id, m.business_connection_id, m.chat_id, m.id,
          gone.at
        from ${gone} as gone (bot_id, business_connection_id, chat_id, id, at)
        join messages m on m.bot_id = gone.bot_id and m.business_connection_id = gone.business_connection_id
          and m.id = gone.id`.execute(db);
      return rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() }));
    },

    /** Adds or updates the messages (rules: mergeMessage); returns what is new or was replaced, by conversation. */
    async upsertMessages(messages: FoldedMessage[]): Promise<WrittenToChat[]> {
      const settled = await settleDates(db, messages.splice(0));
      const given = await unnestRows(settled.messages, MESSAGE_COLUMNS);
      const { rows } = await sql<WrittenToChat>`
        with written as (
          insert into messages (bot_id, business_connection_id, chat_id, id, user_id, username, first_name, last_name,
            text, date, media_type, file_id, reply_to_message_id, edit_date, outgoing, service, details,
            program_id, automatic, position, search)
          select bot_id, business_connection_id, chat_id, id, user_id, username, first_name, last_name,
            text, date, media_type, file_id, reply_to_message_id, edit_date, outgoing, service, details, program_id, automatic,
            position, search::tsvector
          from ${given} as m (bot_id, business_connection_id, chat_id, id, user_id,
            username, first_name, last_name, text, date, media_type, file_id, reply_to_message_id, edit_date, outgoing,
            service, details, program_id, automatic, position, search)
          on conflict (bot_id, business_connection_id, chat_id, id, date) do update set
            written_again = true, ${takeWhen(sql`${ANOTHER} or ${NEWER}`, CONTENT)},
            ${takeWhen(ANOTHER, ['user_id', 'username', 'first_name', 'last_name', 'reply_to_message_id'])},
            deleted_at = case when ${ANOTHER} then null else messages.deleted_at end,
            outgoing = case when ${ANOTHER} and excluded.edit_date is null then excluded.outgoing
              else messages.outgoing or excluded.outgoing end,
            program_id = case when ${ANOTHER} then excluded.program_id
              else coalesce(messages.program_id, excluded.program_id) end,
            automatic = case when ${ANOTHER} then excluded.automatic
              else coalesce(messages.automatic, excluded.automatic) end
          where ${ANOTHER} or ${NEWER} or (excluded.outgoing and not messages.outgoing)
            or (excluded.program_id is not null and messages.program_id is null)
            or (excluded.automatic is not null and messages.automatic is null)
          returning bot_id, business_connection_id, chat_id, id, date, automatic is not null as is_automatic, ${isOfPerson('messages')} as is_of_person, ${isAnswer('messages')} as is_answer,
            not written_again as inserted, ${ofReplaced(REVIVED)} as revived,
            ${ofReplaced(OF_ANOTHER)} as replaced
        )
        select bot_id, business_connection_id, chat_id,
          count(*) filter (where inserted or revived) as count,
          count(*) filter (where replaced) as replaced, max(id) as last_id, coalesce(max(date) filter (where not is_automatic), 0) as last_date,
          (${NEWEST_INCOMING})[1] as last_incoming_date, (${NEWEST_INCOMING})[2] as last_incoming_id,
          (${NEWEST_ANSWER})[1] as last_answer_date, (${NEWEST_ANSWER})[2] as last_answer_id
        from written group by bot_id, business_connection_id, chat_id`.execute(db);
      return withoutReplaced(rows, settled.replaced);
    },

    /** Sets how polls stand in the messages that show them; those that are not stored change nothing. */
    async updatePolls(polls: FoldedPoll[]): Promise<void> {
      const given = await unnestRows([...polls], POLL_COLUMNS);
      const { rows } = await sql<StoredWithPoll>`
        select m.bot_id, m.business_connection_id, m.chat_id, m.id, m.date, m.text, m.details
        from ${given} as poll (bot_id, id)
        join messages m on m.bot_id = poll.bot_id and ${POLL_ID} = poll.id and ${POLL_ID} is not null
        order by m.bot_id, m.chat_id, m.id`.execute(db);
      const known = new Map(polls.map((poll) => [`${poll.bot_id} ${poll.id}`, poll]));
      const changed = rows.flatMap((row) => {
        const { bot_id, ...poll } = known.get(`${row.bot_id} ${row.details?.poll?.id}`) ?? { bot_id: 0 };
        return 'id' in poll ? [withPoll(row, poll)] : [];
      });
      if (changed.length === 0) return;
      const written = await unnestRows(changed, MESSAGE_WITH_POLL_COLUMNS);
      await sql`
        update messages m set details = written.details, search = coalesce(written.search::tsvector, m.search)
        from ${written} as written (bot_id, business_connection_id, chat_id, id, date, details, search)
        where m.bot_id = written.bot_id and m.business_connection_id = written.business_connection_id
          and m.chat_id = written.chat_id and m.id = written.id and m.date = written.date`.execute(db);
    },

    /** Marks messages deleted, once; returns how many were marked now, by chat. */
    async markDeleted(deletions: FoldedDeletion[]): Promise<ChatCount[]> {
      const gone = await unnestRows(deletions, DELETION_COLUMNS);
      const { rows } = await sql<ChatCount>`
        with marked as (
          update messages m set deleted_at = gone.at
          from ${gone} as gone (bot_id, business_connection_id, chat_id, id, at)
          where m.bot_id = gone.bot_id and m.business_connection_id = gone.business_connection_id
            and m.chat_id = gone.chat_id and m.id = gone.id and m.deleted_at is null
          returning m.bot_id, m.chat_id
        )
        select bot_id, chat_id, count(*) as count
        from marked group by bot_id, chat_id`.execute(db);
      return rows;
    },
  };
}

const NEWEST_INCOMING = sql`max(array[date, id]) filter (where is_of_person)`;
const NEWEST_ANSWER = sql`max(array[date, id]) filter (where is_answer)`;

const CONTENT = ['text', 'search', 'media_type', 'service', 'file_id', 'edit_date', 'details'];
const NEWER = sql`excluded.edit_date >= coalesce(messages.edit_date, 0)`;
/** isAnother of history-fold.ts, for rows of one date. */
const ANOTHER = sql`(excluded.edit_date is null and messages.edit_date is null
  and (excluded.text, excluded.media_type, excluded.user_id)
    is distinct from (messages.text, messages.media_type, messages.user_id))`;

const REVIVED = sql`old.deleted_at is not null and messages.deleted_at is null`;
const OF_ANOTHER = sql`messages.edit_date is null and (old.text, old.media_type, old.user_id)
  is distinct from (messages.text, messages.media_type, messages.user_id)`;

/** Rows that gave way to others with their ids are not counted any more. */
function withoutReplaced(written: WrittenToChat[], replaced: ReplacedRow[]): WrittenToChat[] {
  for (const { bot_id, business_connection_id, chat_id, shown, isReplaced } of replaced) {
    const chat = written.find(
      (one) =>
        one.bot_id === bot_id && one.chat_id === chat_id && one.business_connection_id === business_connection_id,
    );
    if (chat === undefined) continue;
    if (shown) chat.count -= 1;
    if (isReplaced) chat.replaced += 1;
  }
  return written;
}

/** Evaluates `what` on the row before the upsert: a subquery still sees it, as `old`. */
function ofReplaced(what: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`written_again and (
    select ${what} from messages as old
    where old.bot_id = messages.bot_id and old.business_connection_id = messages.business_connection_id
      and old.chat_id = messages.chat_id and old.id = messages.id and old.date = messages.date)`;
}

/** Takes over columns of the new row under a condition. */
function takeWhen(condition: RawBuilder<unknown>, columns: string[]): RawBuilder<unknown> {
  const taken = columns.map((name) => {
    const [column, given, known] = [sql.ref(name), sql.ref(`excluded.${name}`), sql.ref(`messages.${name}`)];
    return sql`${column} = case when ${condition} then ${given} else ${known} end`;
  });
  return sql.join(taken);
}
