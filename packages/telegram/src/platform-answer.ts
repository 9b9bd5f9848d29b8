/** How a call ended: the platform did it, refused it, never answered, or something that is no Bot API answer came. */
export type PlatformAnswer =
  | { outcome: 'ok'; result: unknown; text: string }
  | {
      outcome: 'refused';
      errorCode: number;
      description: string;
      /** Always there after a 429; a day at most. */
      retryAfterS?: number;
      migrateToChatId?: number;
      /** A gateway said so in the platform's place. */
      byGateway?: true;
    }
  /** `neverSent`: the platform certainly did not get the call. `quarantined`: because we are a copy that sends nothing. */
  | { outcome: 'unreachable'; reason: string; timedOut: boolean; neverSent?: true; quarantined?: true }
  /** `status` 0: it was not even HTTP. */
  | { outcome: 'garbage'; status: number; reason: string };

/** The reason of a call that its caller gave up. */
export const ABORTED = 'aborted';

const TOO_MANY_REQUESTS = 429;
/** Who is asked to wait longer asks again after a day. */
const LONGEST_RETRY_AFTER_S = 86_400;
/** For a 429 that does not say how long. */
const UNSAID_RETRY_AFTER_S = 1;

/** Reads the platform's envelope. `text` is the exact body. A 429 is one in whatever form it comes. */
export function readPlatformAnswer(status: number, retryAfter: string | undefined, text: string): PlatformAnswer {
  const envelope = parseEnvelope(text);
  const { error_code: errorCode, description } = envelope ?? {};
  const isComplete = envelope?.ok === false && typeof errorCode === 'number';
  if (status === TOO_MANY_REQUESTS || (isComplete && errorCode === TOO_MANY_REQUESTS)) {
    const retryAfterS = readRetryAfter(retryAfter, envelope) ?? UNSAID_RETRY_AFTER_S;
    return {
      outcome: 'refused',
      errorCode: TOO_MANY_REQUESTS,
      description: typeof description === 'string' ? description : `Too Many Requests: retry after ${retryAfterS}`,
      retryAfterS,
      ...(isComplete ? {} : { byGateway: true }),
    };
  }
  if (envelope === null) return { outcome: 'garbage', status, reason: `no Bot API answer (HTTP ${status})` };
  if (envelope.ok === true && 'result' in envelope && status < 400) {
    return { outcome: 'ok', result: envelope.result, text };
  }
  if (!isComplete) return { outcome: 'garbage', status, reason: `an incomplete Bot API answer (HTTP ${status})` };
  const retryAfterS = readRetryAfter(retryAfter, envelope);
  const migrateToChatId = parametersOf(envelope).migrate_to_chat_id;
  return {
    outcome: 'refused',
    errorCode: errorCode as number,
    description: typeof description === 'string' ? description : '',
    ...(retryAfterS === null ? {} : { retryAfterS }),
    ...(typeof migrateToChatId === 'number' ? { migrateToChatId } : {}),
  };
}

/** The wait that an answer asks for, in seconds: of its body, or else of its header; null if it names none. */
function readRetryAfter(header: string | undefined, envelope: Record<string, unknown> | null): number | null {
  const inBody = [parametersOf(envelope).retry_after, envelope?.retry_after].find((one) => isSeconds(one));
  if (inBody !== undefined) return Math.min(Number(inBody), LONGEST_RETRY_AFTER_S);
  return readRetryAfterHeader(header);
}

/** The seconds of a Retry-After, a day at most; null if it has none. */
export function readRetryAfterHeader(header: string | undefined): number | null {
  return isSeconds(header) ? Math.min(Number(header), LONGEST_RETRY_AFTER_S) : null;
}

function isSeconds(value: unknown): value is number | string {
  return typeof value === 'number' ? value >= 0 : typeof value === 'string' && /^\d+$/.test(value.trim());
}

function parametersOf(envelope: Record<string, unknown> | null): Record<string, unknown> {
  const given = envelope?.parameters;
  return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
}

function parseEnvelope(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
