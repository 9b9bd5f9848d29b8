import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** The SDK refuses a client that does not name both. */
const BOTH_TYPES = 'application/json, text/event-stream';
const EVENT_STREAM = 'text/event-stream';
const VERSION = 'mcp-protocol-version';
const VERSION_OF_REQUEST = 'io.modelcontextprotocol/protocolVersion';

/** The headers of a request as the SDK wants them: it answers both types, and a version that nobody knows is none. */
export function headersForSdk(given: NodeJS.Dict<string | string[]>, body: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    // The credential has done its work.
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') headers.set(name, value);
  }
  headers.set('accept', BOTH_TYPES);
  const version = headers.get(VERSION);
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version) && !namesVersion(body))
    headers.delete(VERSION);
  return headers;
}

/** True of a request in the newer form, which the SDK answers with the versions that it knows. */
function namesVersion(body: unknown): boolean {
  const { params } = (body ?? {}) as { params?: { _meta?: Record<string, unknown> } | null };
  return params?._meta?.[VERSION_OF_REQUEST] !== undefined;
}

/** A stream of events with one answer, as JSON for a client that does not ask for events. */
export async function answerForClient(accept: string | undefined, answered: Response): Promise<Response> {
  const isStream = answered.headers.get('content-type')?.startsWith(EVENT_STREAM) === true;
  if (!isStream || accept?.includes(EVENT_STREAM) === true) return answered;
  const events = (await answered.text()).split(/\r?\n\r?\n/).map(dataOf);
  const answer = events.findLast((data) => data !== '') ?? '';
  const headers = new Headers(answered.headers);
  headers.set('content-type', 'application/json');
  return new Response(answer, { status: answered.status, headers });
}

function dataOf(event: string): string {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice('data:'.length).trimStart()).join('\n');
}
