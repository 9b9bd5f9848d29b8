import type { peopleOperations } from '@flotilla/contract/people.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { countPerson } from '@flotilla/domain/records/personal-data/count-person.ts';
import { beginErasure } from '@flotilla/domain/records/personal-data/erase-person.ts';
import { erasureStore } from '@flotilla/domain/records/personal-data/erasure-store.ts';
import { exportPerson } from '@flotilla/domain/records/personal-data/export-person.ts';
import { remainingData } from '@flotilla/domain/records/personal-data/remaining-data.ts';
import { streamText } from '../http/send-answer.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const peopleHandlers: Handlers<typeof peopleOperations> = {
  async erasePerson(context, { input, by }) {
    const { user_id, dry_run: isDry } = input;
    const erasures = erasureStore(context.db);
    const id = isDry ? await erasures.idOf(user_id) : await beginErasure(context, by, user_id);
    // After it has begun: counting much may take longer than a statement may.
    const counts = await countPerson(context.db, user_id);
    return { ok: true, ...withoutNulls({ erasure_id: id }), counts, remains: remainingData() };
  },

  async exportPerson(context, { input, by, request, response, whileAllowed }) {
    const headers = {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': 'attachment; filename="person.ndjson"',
    };
    await recordAction(context, by, { action: 'person_export', target: { kind: 'user', id: input.user_id } });
    const lines = linesOf(context.db, input.user_id);
    await whileAllowed((ended) => streamText(request, response, headers, lines, ended));
  },
};

async function* linesOf(db: Database, userId: number): AsyncGenerator<string> {
  for await (const row of exportPerson(db, userId)) yield `${JSON.stringify(row)}\n`;
  yield `${JSON.stringify({ remains: remainingData() })}\n`;
}
