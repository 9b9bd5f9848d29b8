import type { ActiveProgram, ActiveToken } from './active-program.ts';

/** The token that set the backend of a program: null if people did, 'ended' if it was revoked or has expired. */
export function webhookTokenOf(
  { webhookTokenId, tokens }: Pick<ActiveProgram, 'webhookTokenId' | 'tokens'>,
  nowMs: number,
): ActiveToken | 'ended' | null {
  if (webhookTokenId === null) return null;
  const token = tokens.find(({ id }) => id === webhookTokenId);
  const endsAtMs = token?.expiresAtMs ?? Number.POSITIVE_INFINITY;
  return token === undefined || endsAtMs <= nowMs ? 'ended' : token;
}
