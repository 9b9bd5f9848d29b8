import { z } from 'zod';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { botIdField, chatIdField, okAnswer } from './fields.ts';
import { integer, ownId, pagedInputs, platformId } from './inputs.ts';
import { defineOperation } from './operation.ts';

const DAY_S = 86_400;
/** How many chats can be bound to a program. */
export const CHATS_OF_PROGRAM = 10_000;

const programId = () => ownId().describe('The program.');

const programLink = z
  .strictObject({
    link: z.string().describe('It binds the private chat of whoever opens it and starts the bot.'),
    group_link: z
      .string()
      .describe('The same for a group: whoever opens it chooses the group, and must be an administrator there.'),
    expires_at: z.iso.datetime().describe('When the links stop working.'),
  })
  .meta({ id: 'ProgramLink' });

const programChat = z
  .strictObject({
    program_id: z.int().describe('The program that it is bound to.'),
    bot_id: botIdField,
    chat_id: chatIdField,
    title: z.string().describe('Its title, or the name of the person. Absent: not known.').optional(),
    type: z.string().describe('private, group or supergroup. Absent: not known.').optional(),
    user_id: z
      .int()
      .describe('Who opened the link. Absent: an anonymous administrator, or a person who was erased.')
      .optional(),
    user_name: z.string().describe('The name that this person had then. Absent as `user_id` is.').optional(),
    bound_at: z.iso.datetime().describe('When it was bound.'),
  })
  .meta({ id: 'ProgramChat' });

export type ProgramLink = z.infer<typeof programLink>;
export type ProgramChatResource = z.infer<typeof programChat>;

export const programChatOperations = {
  addProgramLink: defineOperation({
    method: 'POST',
    audit: ['program_link_add'],
    paths: ['/api/programs/bind-link'],
    role: 'any',
    summary: 'Makes a link by which people bind their chats to a program.',
    description: `Who opens it in a private chat with the bot, or adds the bot to a group with it, adds that chat to the chats of the
program. It does what an id in \`filter.chat_ids\` does: a program with \`chat_ids\` gets the updates of that chat, too; one with
\`filter.bound_only\` gets bound chats only; one that gets every chat goes on so. The other conditions of the filter must hold as well.

The program learns of it by the \`/start\` of that person, which is already judged by the new chats, and by the event \`chat.bound\`.
Other readers get this \`/start\` like any message of the chat; by then, a link for one use is used up. A link that has expired or
is used up does nothing, and its \`/start\` is a message like any other. A chat that is bound already uses nothing.

In a group only an administrator binds. Channels and chats of business accounts are not bound. A group that becomes a supergroup stays bound.
Intake waits two seconds for Postgres and, for a group, for the platform. After that, the chat is bound later or not at all, and the event
tells of it; who opens the link again uses nothing more.

The links are shown once; only a hash is stored. A program has at most ${CHATS_OF_PROGRAM.toLocaleString('en')} bound chats and 1,000 open links. It must have no
token that is limited to chats and polls or has set its webhook, because it would confirm updates that it does not see.`,
    input: z.object({
      program_id: programId(),
      expires_in_s: integer({ min: 60, max: 366 * DAY_S })
        .default(DAY_S)
        .describe('Seconds until it expires.'),
      uses: integer({ min: 1, max: CHATS_OF_PROGRAM }).default(1).describe('How many chats it can bind.'),
    }),
    output: programLink,
    errors: ['not_found'],
    example: {
      input: { program_id: 4, uses: 1 },
      output: {
        link: 'https://t.me/example_bot?start=flb_example0example0example0example0',
        group_link: 'https://t.me/example_bot?startgroup=flb_example0example0example0example0',
        expires_at: '2026-01-03T10:15:00.000Z',
      },
    },
  }),

  revokeProgramLinks: defineOperation({
    method: 'POST',
    audit: ['program_link_revoke'],
    paths: ['/api/programs/revoke-links'],
    role: 'any',
    summary: 'Ends all open links of a program. Chats that were bound by them stay bound.',
    input: z.object({ program_id: programId() }),
    output: okAnswer,
    errors: ['not_found'],
    example: { input: { program_id: 4 }, output: { ok: true } },
  }),

  listProgramChats: defineOperation({
    method: 'GET',
    paths: ['/api/programs/chats'],
    role: 'any',
    summary: 'Lists the chats that are bound to a program, by their ids.',
    input: z.object({ program_id: programId(), ...pagedInputs({ default: 100, max: 1000 }) }),
    output: z.array(programChat),
    errors: ['not_found'],
    example: {
      input: { program_id: 4 },
      output: [
        {
          ...{ program_id: 4, bot_id: EXAMPLE_BOT_ID, chat_id: EXAMPLE_CHAT_ID, title: 'Support', type: 'supergroup' },
          ...{ user_id: EXAMPLE_USER_ID, user_name: 'Anna', bound_at: '2026-01-02T10:15:00.000Z' },
        },
      ],
    },
  }),

  unbindProgramChat: defineOperation({
    method: 'POST',
    audit: ['program_unbind'],
    paths: ['/api/programs/unbind'],
    role: 'any',
    summary: 'Unbinds a chat from a program.',
    description: 'What is accepted afterwards is judged without it. What waits for the program stays there.',
    input: z.object({
      program_id: programId(),
      chat_id: platformId().describe("The platform's id of the chat."),
    }),
    output: okAnswer,
    errors: ['not_found'],
    example: { input: { program_id: 4, chat_id: EXAMPLE_CHAT_ID }, output: { ok: true } },
  }),
};
