import { z } from 'zod';

/** Every code that an error can have, and its HTTP status; clients may rely on the list being closed. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthorized: 401,
  second_factor_needed: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  ambiguous_conversation: 409,
  precondition_failed: 412,
  idempotency_mismatch: 422,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  token_refused: 400,
  platform_refused: 400,
  platform_failed: 502,
  platform_timeout: 504,
  unavailable: 503,
  quarantined: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

const codes = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

/** The further errors of an operation that calls the platform. */
export const PLATFORM_ERRORS = [
  'token_refused',
  'platform_refused',
  'too_many_requests',
  'platform_failed',
  'platform_timeout',
] as const satisfies readonly ErrorCode[];

/** The further error of an operation in one chat that may leave out `business_connection_id`. */
export const CONVERSATION_ERRORS = ['ambiguous_conversation'] as const satisfies readonly ErrorCode[];

const fault = z.strictObject({
  path: z.string().min(1).describe('The name of the input. `body` or `query` if the fault concerns all of it.'),
  reason: z.string().describe('What is wrong with the input. Read it after the name, as one sentence.'),
});

/** Every error's body. */
export const errorAnswer = z
  .strictObject({
    error: z.string().describe('What went wrong, in a sentence for people.'),
    code: z.enum(codes).describe('What went wrong, as a word for programs.'),
    request_id: z.string().describe('The id of the request, as in `X-Request-Id` and in the log.'),
    details: z.array(fault).describe('Only for a 400: every fault, not only the first.').optional(),
    store: z
      .enum(['postgres', 'redis'])
      .optional()
      .describe(
        'Only for a 503, if a store does not answer: which one. Without Postgres, delivery goes on. Without Redis, updates neither come in nor go out until it is back; calls that bots make with their own tokens go on.',
      ),
    business_connection_ids: z
      .array(z.string())
      .optional()
      .describe(
        'Only for `ambiguous_conversation`: the conversations of the chat, of which the call must name one. The empty one is the chat of the bot itself.',
      ),
    error_code: z.int().optional().describe("The platform's own code, if the platform refused."),
    migrate_to_chat_id: z
      .int()
      .optional()
      .describe(
        'If the platform refused because the group is a supergroup now: its id there. What was stored under the old id has followed.',
      ),
  })
  .meta({ id: 'Error' });

export type ErrorAnswer = z.infer<typeof errorAnswer>;
