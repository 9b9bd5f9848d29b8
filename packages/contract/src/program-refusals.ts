import { z } from 'zod';
import { ownId, pagedInputs } from './inputs.ts';
import { defineOperation } from './operation.ts';

const PROGRAM_REFUSAL_REASONS = ['method', 'chat', 'file', 'rate', 'expired', 'paused', 'answered'] as const;
export type ProgramRefusalReason = (typeof PROGRAM_REFUSAL_REASONS)[number];

const programRefusalResource = z
  .strictObject({
    at: z.iso.datetime().describe('When it was last refused.'),
    token_id: z
      .int()
      .optional()
      .describe(
        'The token of the caller. Absent for a call in the answer of a backend that no token set, and for `answered`.',
      ),
    token_name: z.string().optional().describe('Its name. Absent if it was revoked since.'),
    method: z.string().optional().describe('The method, in lower case. Absent for a file, or if it is no plain name.'),
    reason: z
      .enum(PROGRAM_REFUSAL_REASONS)
      .describe(
        'method: the token may not call it, or not with such a parameter. chat: it names a chat that is not one of its chats, or the chat cannot be told. file: `getFile` did not give the program this path, or the token is limited to chats. rate: too many calls. expired: the token has expired. paused: the program is paused, or the bot is disabled. answered: another reader of the bot had answered that button press before; the caller got true, as if it were accepted.',
      ),
    description: z.string().describe('What the caller was told. Nobody is told of a call in the answer of a backend.'),
    chat_id: z.int().optional().describe('The chat that the call named, if it named one by id and was refused for it.'),
  })
  .meta({ id: 'ProgramRefusal' });

export type ProgramRefusalResource = z.infer<typeof programRefusalResource>;

export const programRefusalOperations = {
  listProgramRefusals: defineOperation({
    method: 'GET',
    paths: ['/api/programs/refusals'],
    role: 'any',
    summary: 'Lists what a program was refused lately, newest first.',
    description:
      'These are calls with its tokens, and calls in the answers of its backend. The newest 20 are kept, for a day after the last one. The same refusal is listed once, with the time of the last. A refusal is listed within about a second.',
    input: z.object({ id: ownId().describe('The program.'), ...pagedInputs() }),
    output: z.array(programRefusalResource),
    errors: ['not_found'],
    example: {
      input: { id: 4 },
      output: [
        {
          at: '2026-01-02T10:15:00.000Z',
          token_id: 11,
          token_name: 'agency',
          method: 'sendmessage',
          reason: 'chat',
          description: 'Forbidden: this token may not call sendMessage: chat_id is not one of its chats',
          chat_id: 424_242,
        },
      ],
    },
  }),
};
