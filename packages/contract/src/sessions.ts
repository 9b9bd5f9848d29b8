import { z } from 'zod';
import { okAnswer } from './fields.ts';
import { pagedInputs, text } from './inputs.ts';
import { defineOperation } from './operation.ts';
import { type Answer, defineResource } from './resource.ts';

export const sessionResource = defineResource('Session', {
  id: { shown: z.string().describe('Names the session here. It is not the secret in its cookie.') },
  created_at: { shown: z.iso.datetime().describe('When it began with a sign-in.') },
  last_used_at: { shown: z.iso.datetime().describe('When a request last used it.') },
  expires_at: {
    shown: z.iso.datetime().describe('When it ends at the latest. It ends before if nobody uses it for seven days.'),
  },
  address: {
    shown: z
      .string()
      .optional()
      .describe('The network address that signed in, or last changed the password. Absent: it is not known.'),
  },
  user_agent: {
    shown: z
      .string()
      .optional()
      .describe('What the browser of that request called itself, cut at 200 characters. Absent: nothing.'),
  },
  current: { shown: z.boolean().describe('True for the session of this call.') },
});

export type SessionResource = Answer<typeof sessionResource>;

const SESSION: SessionResource = {
  id: '5f0c2d1e8a7b4c3d9e6f1a2b3c4d5e6f',
  created_at: '2026-01-02T10:30:00.000Z',
  last_used_at: '2026-01-03T08:00:00.000Z',
  expires_at: '2026-02-01T10:30:00.000Z',
  address: '192.0.2.10',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  current: true,
};

export const sessionOperations = {
  listSessions: defineOperation({
    method: 'GET',
    paths: ['/api/auth/sessions'],
    role: 'any',
    summary: 'Lists your own sessions, the last used one first.',
    description:
      'An account has 100 sessions at most: one more ends the one that was unused the longest. A key that may do less than its account finds none.',
    input: z.object(pagedInputs()),
    output: z.array(sessionResource.answer),
    example: { input: {}, output: [SESSION] },
  }),

  endSession: defineOperation({
    method: 'POST',
    audit: ['session_end'],
    paths: ['/api/auth/sessions/end'],
    role: 'any',
    summary: 'Ends one of your own sessions, on every process within 5 s.',
    input: z.object({ id: text({ min: 1, max: 64 }).describe('The `id` in the list of sessions.') }),
    output: okAnswer,
    errors: ['not_found'],
    example: { input: { id: SESSION.id }, output: { ok: true } },
  }),
};
