import type { Kysely } from 'kysely';
import { createAccounts } from '../first-schema/accounts.ts';
import { createBackups } from '../first-schema/backups.ts';
import { createBots } from '../first-schema/bots.ts';
import { createBroadcasts } from '../first-schema/broadcasts.ts';
import { createDeliveries } from '../first-schema/deliveries.ts';
import { createEvents } from '../first-schema/events.ts';
import { createHistory } from '../first-schema/history.ts';
import { createOutbox } from '../first-schema/outbox.ts';
import { createQuestions } from '../first-schema/questions.ts';
import { createReplies } from '../first-schema/replies.ts';

/** Every table of the first release. It must not be edited once that is out, nor the files that it calls. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createBots(db);
  await createAccounts(db);
  await createHistory(db);
  await createDeliveries(db);
  await createEvents(db);
  await createQuestions(db);
  await createReplies(db);
  await createOutbox(db);
  await createBroadcasts(db);
  await createBackups(db);
}
