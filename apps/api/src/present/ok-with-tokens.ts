import { OK } from '@flotilla/contract/fields.ts';
import type { okWithTokens as answer } from '@flotilla/contract/program-tokens.ts';
import type { LeftToken } from '@flotilla/domain/people/accounts/left-behind.ts';
import type { z } from 'zod';

/** The answer after an account or a key has gone: what it made and what goes on. */
export function okWithTokens(tokens: LeftToken[]): z.input<typeof answer> {
  const shown = tokens.map(({ id, name, prefix, programId, programName, botId, expiresAt }) => ({
    ...{ id, name, prefix, program_id: programId, program_name: programName, bot_id: botId },
    ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
  }));
  return { ...OK, program_tokens: shown };
}
