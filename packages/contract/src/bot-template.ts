import { z } from 'zod';
import { flag, jsonObject, listOf, strictInput, text } from './inputs.ts';
import { program } from './programs.ts';

const PROGRAMS_AT_MOST = 20;
const COMMANDS_AT_MOST = 100;

export const TEMPLATE_NOTE =
  'What a bot gets that this one adopts. In `name` and in the URLs, `{id}`, `{username}` and `{name}` stand for those of the new bot at the platform; in a host only below a fixed domain (`https://{username}.bots.example.com`), and `{id}` in a name without a domain (`http://bot-{id}:8080`). It is replaced as a whole; `{}` removes it. A change does not touch bots that were adopted before.';
const NAME_NOTE = 'A name for people. Absent: the name at the platform.';
const URL_NOTE = 'The URL at which updates of the new bot are taken by POST. It is masked as that of a bot is.';
const PROGRAMS_NOTE = 'Programs of the new bot, as `POST /api/programs/add` takes them.';
const LONG_POLL_NOTE = 'True: clients may poll for its updates.';
const COMMANDS_NOTE = 'The commands that the new bot shows (setMyCommands).';

const command = {
  command: text({ min: 1, max: 32 })
    .regex(/^[a-z0-9_]+$/, 'may have a-z, 0-9 and _ only')
    .describe('Without the slash.'),
  description: text({ min: 1, max: 256 }).describe('What people read beside it.'),
};

const {
  name,
  mode,
  backend_url,
  max_connections,
  silent_after_s,
  kinds,
  filter,
  exclusive,
  order,
  sees_held,
  priority,
} = program.addInputs;
/** Without a secret: the same one would be sent to the backends of all bots that are adopted. */
const programInputs = {
  ...{ name, mode, backend_url, kinds, filter: filter.prefault({}), exclusive, order, sees_held, priority },
  ...{ max_connections, silent_after_s },
};
const shownProgram = program.answer.pick({
  ...{ name: true, mode: true, backend_url: true, kinds: true, filter: true, exclusive: true, order: true },
  ...{ sees_held: true, priority: true, max_connections: true, silent_after_s: true },
});

export const templateInput = () =>
  jsonObject({
    name: text({ min: 1, max: 128 }).optional().describe(NAME_NOTE),
    backend_url: text({ max: 2048 }).optional().describe(URL_NOTE),
    programs: listOf(strictInput(programInputs), PROGRAMS_AT_MOST).optional().describe(PROGRAMS_NOTE),
    long_poll_enabled: flag().optional().describe(LONG_POLL_NOTE),
    commands: listOf(strictInput(command), COMMANDS_AT_MOST).optional().describe(COMMANDS_NOTE),
  });

export type BotTemplate = z.output<ReturnType<typeof templateInput>>;
export type TemplateProgram = NonNullable<BotTemplate['programs']>[number];

export const templateField = z
  .strictObject({
    name: z.string().optional().describe(NAME_NOTE),
    backend_url: z.string().optional().describe(URL_NOTE),
    programs: z
      .array(shownProgram.partial({ mode: true, backend_url: true, max_connections: true }))
      .optional()
      .describe(PROGRAMS_NOTE),
    long_poll_enabled: z.boolean().optional().describe(LONG_POLL_NOTE),
    commands: z.array(z.strictObject(command)).optional().describe(COMMANDS_NOTE),
  })
  .meta({ id: 'BotTemplate' });
