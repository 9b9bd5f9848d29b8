import { z } from 'zod';
import { ERROR_CODES } from '../errors.ts';

/** What every operation that only acts answers. */
export const okAnswer = z.strictObject({ ok: z.literal(true) }).meta({ id: 'Ok' });

/** Every error's body. */
export const errorAnswer = z
  .strictObject({
    error: z.string(),
    code: z.enum(ERROR_CODES),
    request_id: z.string(),
    details: z.array(z.strictObject({ path: z.string().min(1), reason: z.string() })).optional(),
    error_code: z.int().optional().describe("The platform's own code, where the platform refused."),
  })
  .meta({ id: 'Error' });

export type ErrorAnswer = z.infer<typeof errorAnswer>;

/** The answer itself. */
export const OK = { ok: true } as const;
