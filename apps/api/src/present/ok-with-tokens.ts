import { OK } from '@flotilla/contract/fields.ts';
import type { okWithTokens as answer } from '@flotilla/contract/program-tokens.ts';
import type { LeftToken } from '@flotilla/domain/people/accounts/left-behind.ts';
import type { z } from 'zod';

/** The answer after an account or a key has gone: what it made and what goes on. */
export function okWithTokens(tokens: LeftToken[]): z.input<typeof answer> {
  const shown = tokens.map(({ id, name, prefix, program_id, program_name, bot_id, expires_at }) => ({
    ...{ id, name, prefix, program_id, program_name, bot_id },
    ...(expires_at === null ? {} : { expires_at: expires_at.toISOString() }),
  }));
  return { ...OK, program_tokens: shown };
}
