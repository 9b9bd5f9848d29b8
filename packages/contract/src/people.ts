import { z } from 'zod';
import { EXAMPLE_USER_ID } from './examples.ts';
import { ownIdField } from './fields.ts';
import { flag, integer } from './inputs.ts';
import { defineOperation } from './operation.ts';

const count = (what: string) => z.int().describe(what);

const counts = z
  .strictObject({
    messages: count('Messages that the person wrote, and all of private chats with the person.'),
    chats: count('Private chats with the person, their topics, read markers, and counts of what the person wrote.'),
    chat_users: count('Names of the person, one for each chat in which the person was seen.'),
    tags: count('Tags of the person.'),
    notes: count('Internal notes about private chats with the person.'),
    questions: count('Questions in private chats with the person, answers, and questions that name the person.'),
    outbox: count('Entries of the outbox for private chats with the person.'),
    broadcasts: count('Broadcasts whose audience names the person.'),
    dead_letters: count('Failed deliveries whose update names the person.'),
    journal: count('Pages of the journal with lines about private chats with the person.'),
    events: count('Events about private chats with the person.'),
    bots: count('Bots that the person made for a bot that adopts. They stay, without the person.'),
    links: count('Links of routed messages from or to private chats with the person.'),
    audit: count('Entries of the audit log about the person. They stay, without the person.'),
  })
  .meta({ id: 'PersonalDataCounts' });

export type PersonalCounts = z.infer<typeof counts>;
/** Where data of a person is stored. */
export type PersonalPlace = keyof PersonalCounts;
export const PERSONAL_PLACES = Object.keys(counts.shape) as PersonalPlace[];

const remaining = z
  .strictObject({
    where: z.string().describe('What is not removed.'),
    why: z.string().describe('Why, and until when.'),
  })
  .meta({ id: 'RemainingData' });

export type RemainingData = z.infer<typeof remaining>;

const personId = () =>
  integer({ min: 1 }).describe("The platform's id of the person, which is also that of private chats with the person.");

export const peopleOperations = {
  erasePerson: defineOperation({
    method: 'POST',
    paths: ['/api/people/erase'],
    role: 'admin',
    wholeFleet: true,
    audit: ['person_erase', 'person_erased'],
    summary: 'Erases a person: what was written, what was stored about the person, and what waits to be sent to them.',
    description:
      'Workers remove it in small pieces, for a minute at least: then they look once more for what was on its way. Meanwhile, and after a worker ended, they go on by themselves; a second call for the person changes nothing. The audit log names the erasure by its number. With `dry_run` nothing is removed.\n\nWhoever writes to a bot again after that is stored again.',
    input: z.object({
      user_id: personId(),
      dry_run: flag().default(false).describe('True: only count.'),
    }),
    output: z.strictObject({
      ok: z.literal(true).describe('Always true.'),
      erasure_id: ownIdField
        .describe('The number of the erasure that is in progress. Absent: there is none.')
        .optional(),
      counts: counts.describe('What is stored now, by place.'),
      remains: z.array(remaining).describe('What is not removed, and why.'),
    }),
    example: {
      input: { user_id: EXAMPLE_USER_ID },
      output: {
        ok: true,
        erasure_id: 12,
        counts: {
          ...{ messages: 120, chats: 3, chat_users: 2, tags: 1, notes: 0, questions: 0, outbox: 4, broadcasts: 0 },
          ...{ dead_letters: 1, journal: 2, events: 0, links: 0, bots: 0, audit: 7 },
        },
        remains: [{ where: 'backups', why: 'A backup is not changed; it goes when it expires.' }],
      },
    },
  }),

  exportPerson: defineOperation({
    method: 'GET',
    audit: ['person_export'],
    paths: ['/api/people/export'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Exports what is stored about a person: one JSON object per line.',
    description:
      'Each line has `place` (as in the counts of `POST /api/people/erase`), `table` and `row`, as it is stored. Of a row that also holds data of others, only what is of the person is there. The last line has `remains`: without it, the export is not complete.',
    input: z.object({ user_id: personId() }),
    output: z.string(),
    mediaTypes: ['application/x-ndjson'],
    example: {
      input: { user_id: EXAMPLE_USER_ID },
      output: `${JSON.stringify({ place: 'tags', table: 'tags', row: { id: 5, bot_id: 1, tag: 'vip' } })}\n${JSON.stringify({ remains: [] })}\n`,
    },
  }),
};
