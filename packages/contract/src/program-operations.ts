import { z } from 'zod';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { okAnswer } from './fields.ts';
import { botId, flag, ownId, pagedInputs } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { filterInput } from './program-filters.ts';
import { MODE_NOTE, PROGRAM, program } from './programs.ts';

/** Inputs stand in the order of the form. */
function inOrderOfForm<Of extends Partial<Record<keyof typeof program.changeInputs, unknown>>>(inputs: Of): Of {
  const { silent_after_s: _, enabled: _last, ...before } = inputs;
  return { ...before, ...inputs };
}

const addInputs = {
  bot_id: botId(),
  ...inOrderOfForm(program.addInputs),
  mode: program.addInputs.mode.describe(`${MODE_NOTE} Absent: push if a \`backend_url\` is given, else pull.`),
  filter: filterInput().prefault({}),
  enabled: flag().default(true).describe('False: it begins paused.'),
};

const updateInputs = { id: ownId(), ...inOrderOfForm(program.changeInputs) };

export const programOperations = {
  listPrograms: defineOperation({
    method: 'GET',
    paths: ['/api/programs'],
    role: 'any',
    summary: 'Lists the programs of a bot: readers of its updates that each have a cursor of their own.',
    description:
      "A program gets the bot's updates whatever its backend, its other pollers and its other programs do. With mode pull it polls with `GET /api/updates/poll` and its `program_id`; with mode push updates are sent to its backend, each chat in order, with retries and failed deliveries of its own. `success_ratio` and `p95_ms` are those of the last hour.",
    input: z.object({ bot_id: botId(), ...pagedInputs() }),
    output: z.array(program.answer),
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID }, output: [PROGRAM] },
  }),

  showProgram: defineOperation({
    method: 'GET',
    paths: ['/api/programs/show'],
    role: 'any',
    versioned: 'shown',
    summary: 'Shows a program.',
    input: z.object({ id: ownId() }),
    output: program.answer,
    errors: ['not_found'],
    example: { input: { id: 4 }, output: PROGRAM },
  }),

  addProgram: defineOperation({
    method: 'POST',
    audit: ['program_add'],
    paths: ['/api/programs/add'],
    role: 'any',
    versioned: 'shown',
    summary: 'Adds a program to a bot.',
    description:
      'It gets the updates that come from now on. A program that stays 24 hours or 100,000 updates behind is parked: what waits for it becomes failed deliveries. A bot can have 100 programs; their filters, certificates and tokens have 1 MiB together.',
    input: z.object(addInputs),
    output: program.answer,
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(program.answer, addInputs),
    errors: ['conflict'],
    example: {
      input: {
        bot_id: EXAMPLE_BOT_ID,
        name: 'analytics',
        kinds: ['message', 'edited_message'],
        filter: { chat_ids: [-1001234567890], commands: ['stats'] },
      },
      output: PROGRAM,
    },
  }),

  updateProgram: defineOperation({
    method: 'POST',
    audit: ['program_update', 'program_enable', 'program_disable'],
    paths: ['/api/programs/update'],
    role: 'any',
    versioned: 'changed',
    summary: 'Changes the given fields of a program. Absent fields keep their value.',
    description:
      'Its cursor stays, also when the mode changes. Updates that it has passed over do not come back. A new filter, `exclusive` and `order` hold for what is accepted afterwards: what a program took, it keeps. A filter is replaced as a whole; `{}` removes it.',
    input: z.object(updateInputs),
    output: program.answer,
    readOnlyFields: fieldsBeside(program.answer, updateInputs),
    errors: ['not_found', 'conflict'],
    example: { input: { id: 4, kinds: ['message', 'edited_message'] }, output: PROGRAM },
  }),

  toggleProgram: defineOperation({
    method: 'POST',
    audit: ['program_enable', 'program_disable'],
    paths: ['/api/programs/toggle'],
    role: 'any',
    summary: 'Pauses a program, or lets it go on.',
    description:
      'The polls of a paused program are answered empty, and nothing is sent to it. It goes on at its cursor.',
    input: z.object({ id: ownId(), enabled: flag().describe('False pauses the program, true lets it go on.') }),
    output: program.answer,
    readOnlyFields: fieldsBeside(program.answer, { id: true, enabled: true }),
    errors: ['not_found'],
    example: { input: { id: 4, enabled: false }, output: { ...PROGRAM, enabled: false, state: 'paused' } },
  }),

  deleteProgram: defineOperation({
    method: 'POST',
    audit: ['program_delete'],
    paths: ['/api/programs/delete'],
    role: 'any',
    versioned: 'deleted',
    summary: 'Deletes a program: its cursor, and the updates that are kept for it alone.',
    description:
      'What an exclusive program took and did not acknowledge becomes failed deliveries, which can be sent to the backend of the bot, or to its poller if it has long polling and no backend. So do its failed deliveries of what it took; the others are deleted.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(program.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 4 }, output: { ok: true } },
  }),
};
