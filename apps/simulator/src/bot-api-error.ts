/** A refusal in the platform's own words; becomes `{"ok":false,…}` with the HTTP status `code`. */
export class BotApiError extends Error {
  override readonly name = 'BotApiError';
  readonly code: number;
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: { retry_after?: number; migrate_to_chat_id?: number }) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export function badRequest(reason: string): BotApiError {
  return new BotApiError(400, `Bad Request: ${reason}`);
}

export function forbidden(reason: string): BotApiError {
  return new BotApiError(403, `Forbidden: ${reason}`);
}

export function tooManyRequests(retryAfterS: number): BotApiError {
  return new BotApiError(429, `Too Many Requests: retry after ${retryAfterS}`, { retry_after: retryAfterS });
}
