/** How a call ended: the platform did it, refused it, never answered, or sent something that is no Bot API answer. */
export type PlatformAnswer =
  | { outcome: 'ok'; result: unknown; text: string }
  | {
      outcome: 'refused';
      errorCode: number;
      description: string;
      retryAfterS?: number;
      migrateToChatId?: number;
    }
  /** `neverSent`: the platform certainly did not get the call. */
  | { outcome: 'unreachable'; reason: string; timedOut: boolean; neverSent?: true }
  | { outcome: 'garbage'; status: number; reason: string };

/** Reads the platform's envelope. `text` is the exact body. */
export function readPlatformAnswer(status: number, retryAfter: string | undefined, text: string): PlatformAnswer {
  const envelope = parseEnvelope(text);
  if (envelope === null) return { outcome: 'garbage', status, reason: `no Bot API answer (HTTP ${status})` };
  if (envelope.ok === true && 'result' in envelope && status < 400) {
    return { outcome: 'ok', result: envelope.result, text };
  }
  const { error_code: errorCode, description } = envelope;
  if (envelope.ok !== false || typeof errorCode !== 'number') {
    return { outcome: 'garbage', status, reason: `an incomplete Bot API answer (HTTP ${status})` };
  }
  return {
    outcome: 'refused',
    errorCode,
    description: typeof description === 'string' ? description : '',
    ...readParameters(envelope.parameters, retryAfter),
  };
}

function readParameters(
  parameters: unknown,
  retryAfterHeader: string | undefined,
): { retryAfterS?: number; migrateToChatId?: number } {
  const given = typeof parameters === 'object' && parameters !== null ? (parameters as Record<string, unknown>) : {};
  const header = /^\d{1,9}$/.test(retryAfterHeader ?? '') ? Number(retryAfterHeader) : undefined;
  const retryAfterS = typeof given.retry_after === 'number' ? given.retry_after : header;
  const migrateToChatId = given.migrate_to_chat_id;
  return {
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    ...(typeof migrateToChatId === 'number' ? { migrateToChatId } : {}),
  };
}

function parseEnvelope(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
