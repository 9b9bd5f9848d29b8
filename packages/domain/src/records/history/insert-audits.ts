import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { type Actor, withActor } from '../../people/audit/actor.ts';
import { queueForSinks } from '../../people/audit/queue-audit.ts';
import type { FoldedAudit } from './effects/history-fold.ts';
import { type Column, unnestRows } from './unnest-rows.ts';

type AccountActor = Extract<Actor, { kind: 'account' }>;

const accountOf = ({ by }: FoldedAudit): AccountActor | null => (by.kind === 'account' ? by : null);

const AUDIT_COLUMNS: Column<FoldedAudit>[] = [
  ['bigint', (audit) => audit.bot_id],
  ['bigint', (audit) => audit.chat_id],
  ['text', (audit) => audit.business_connection_id],
  ['text', (audit) => audit.action],
  ['bigint', (audit) => audit.target?.id ?? null],
  ['bigint', (audit) => (audit.target?.kind === 'user' ? audit.target.id : null)],
  ['text', ({ by, details }) => withActor(by, details)],
  ['bigint', (audit) => audit.dateS],
  ['text', (audit) => audit.captureKey],
  ['bigint', (audit) => accountOf(audit)?.accountId ?? null],
  ['text', (audit) => accountOf(audit)?.username ?? null],
  ['bigint', (audit) => accountOf(audit)?.keyId ?? null],
  ['text', (audit) => audit.by.address],
  ['text', (audit) => audit.by.request?.id ?? null],
];

/**
 * Appends the audited calls of bots, and of accounts through them; a recorded call is not added again, since its key always comes
 * with the same date. Takes the audits out of their array.
 */
export async function insertAudits(db: Database, audits: FoldedAudit[]): Promise<void> {
  const given = await unnestRows(audits, AUDIT_COLUMNS);
  const inserted = sql`
    insert into audit_log (bot_id, chat_id, business_connection_id, action, actor_kind, actor_id, actor_username, actor_key_id, address,
      request_id, target_id, target_username, details, date, capture_key)
    select a.bot_id, a.chat_id, a.connection, a.action, case when a.account_id is null then 'bot' else 'account' end,
      coalesce(a.account_id, b.id), case when a.account_id is null then nullif(b.username, '') else a.account end,
      a.key_id, a.address, a.request_id, a.target_id, u.username, a.details, a.date, a.capture_key
    from ${given} with ordinality
      as a (bot_id, chat_id, connection, action, target_id, target_user_id, details, date, capture_key, account_id, account,
        key_id, address, request_id, position)
    join bots b on b.id = a.bot_id
    left join chat_users u on u.bot_id = a.bot_id and u.chat_id = a.chat_id and u.user_id = a.target_user_id
    order by a.position
    on conflict (capture_key, date) do nothing`;
  await sql`${queueForSinks(inserted)}`.execute(db);
}
