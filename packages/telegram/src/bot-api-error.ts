export interface BotApiErrorParameters {
  /** Seconds. */
  retry_after?: number;
  migrate_to_chat_id?: number;
}

/** The platform's error envelope: the HTTP status always equals error_code. */
export function botApiError(
  code: number,
  description: string,
  parameters?: BotApiErrorParameters,
): { status: number; body: string } {
  const envelope = { ok: false, error_code: code, description, ...(parameters === undefined ? {} : { parameters }) };
  return { status: code, body: JSON.stringify(envelope) };
}
