import { ERROR_STATUS, type ErrorCode } from '@flotilla/contract/errors.ts';
import { isKeyed, isPaged, type Operation, takesVersion } from '@flotilla/contract/operation.ts';
import { RATE_LIMITS } from '@flotilla/contract/rate-limits.ts';
import { type JsonSchema, type SchemaWriter, schemaName } from './json-schema.ts';

/** The parts of the document that operations share. */
export interface Components {
  writer: SchemaWriter;
  responses: Record<string, JsonSchema>;
}

/** The responses of an operation by status. Its error responses go into the components, where operations share them. */
export function describeResponses(
  name: string,
  operation: Operation,
  { writer, responses }: Components,
): Record<string, JsonSchema> {
  return {
    '200': success(name, operation, writer),
    ...emptyResponse(operation),
    ...unchangedResponse(operation),
    ...errorResponses(errorCodesOf(operation), responses),
  };
}

function success(name: string, operation: Operation, writer: SchemaWriter): JsonSchema {
  const { output, mediaTypes = ['application/json'], otherForms, example } = operation;
  const total = operation.uncounted === true ? [] : ['X-Total-Count'];
  const headers = ['X-Request-Id', ...(isPaged(operation) ? [...total, 'Link'] : [])];
  if (name === 'listBots') headers.push('X-Taken-At');
  if (name === 'login') headers.push('Set-Cookie');
  if (isKeyed(operation)) headers.push('Idempotency-Replayed');
  if (isTagged(operation)) headers.push('ETag');
  if (operation.limits !== undefined || operation.file !== undefined) headers.push(...RATE_LIMIT_HEADERS);
  const written = writer.write(output, 'output');
  // Without a name, generators of clients number their types, anew with every operation that is added.
  const schema = 'properties' in written ? writer.define(`${schemaName(name)}Answer`, written) : written;
  const body = (type: string) => ({
    schema: isText(type) ? schema : { ...schema, format: 'binary' },
    example: otherForms?.[type] ?? example.output,
  });
  return {
    description: isPaged(operation) ? 'One page of the list.' : 'Done.',
    headers: headerRefs(headers),
    content: Object.fromEntries(mediaTypes.map((type) => [type, body(type)])),
  };
}

function isText(mediaType: string): boolean {
  return /^text\/|json$/.test(mediaType);
}

function emptyResponse({ emptyWhen: description }: Operation): Record<string, JsonSchema> {
  return description === undefined ? {} : { '204': { description, headers: headerRefs(['X-Request-Id']) } };
}

function isTagged({ versioned }: Operation): boolean {
  return versioned === 'shown' || versioned === 'changed';
}

function unchangedResponse(operation: Operation): Record<string, JsonSchema> {
  if (operation.method !== 'GET' || !isTagged(operation)) return {};
  const description = 'The answer would be the one of `If-None-Match`.';
  return { '304': { description, headers: headerRefs(['X-Request-Id', 'ETag']) } };
}

/** The errors that every operation of this kind can give, and those of its own. */
function errorCodesOf(operation: Operation): ErrorCode[] {
  const { method, role, botInputs = [], beforePasswordChange = false, errors = [] } = operation;
  const isPost = method === 'POST';
  const codes: ErrorCode[] = ['bad_request', 'unavailable', 'internal', ...errors];
  if (role !== 'public') codes.push('unauthorized');
  // A POST may come from another site's page; anything else is refused until the password is changed.
  if (isPost || role === 'admin' || !beforePasswordChange) codes.push('forbidden');
  if (botInputs.length > 0) codes.push('not_found');
  if (isPost) codes.push('payload_too_large', 'unsupported_media_type');
  if (takesVersion(operation)) codes.push('precondition_failed');
  if (isKeyed(operation)) codes.push('conflict', 'idempotency_mismatch', 'too_many_requests');
  return [...new Set(codes)];
}

const REQUEST_ID = '7f1d9c2e-4a53-4f0b-9a53-0c8a1f3b6d21';
const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'];
const WITH_RETRY_AFTER: readonly ErrorCode[] = ['too_many_requests', 'unavailable'];

/** One response per status, as references; operations with the same codes share the responses themselves. */
function errorResponses(codes: readonly ErrorCode[], shared: Components['responses']): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, sharing]) => {
      const name = sharing.toSorted().map(pascalCase).join('Or');
      shared[name] ??= errorResponse(sharing);
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function errorResponse(codes: ErrorCode[]): JsonSchema {
  const headers = ['X-Request-Id'];
  if (codes.some((code) => WITH_RETRY_AFTER.includes(code))) headers.push('Retry-After');
  if (codes.includes('too_many_requests')) headers.push(...RATE_LIMIT_HEADERS);
  if (codes.includes('unauthorized')) headers.push('WWW-Authenticate');
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_NOTES[code].when}`).join('\n\n'),
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error', properties: { code: { enum: codes } } },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode): JsonSchema {
  const { sentence } = ERROR_NOTES[code];
  const base = { error: sentence, code, request_id: REQUEST_ID };
  if (code === 'bad_request') return { ...base, details: [{ path: 'bot_id', reason: 'is required' }] };
  if (code === 'token_refused') return { ...base, details: [{ path: 'body', reason: sentence }], error_code: 401 };
  if (code === 'platform_refused') return { ...base, details: [{ path: 'body', reason: sentence }], error_code: 400 };
  return base;
}

function pascalCase(code: ErrorCode): string {
  return code.replace(/(^|_)([a-z])/g, (_match, _start, letter: string) => letter.toUpperCase());
}

/** The response headers that a client can use. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': {
    description: 'The id of this request. The log line has it, too.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Total-Count': {
    description: 'The number of rows in the whole list.',
    schema: { type: 'integer', format: 'int64', minimum: 0 },
  },
  'X-Taken-At': {
    description:
      'When the states and figures were taken by which the list is filtered and sorted. The rows are of this moment.',
    schema: { type: 'string', format: 'date-time' },
  },
  Link: {
    description:
      'The address of the next page: `</api/…?before=…>; rel="next"`. It stays right while rows are added. Absent on the last page. Lists that go both ways also have `</api/…?after=…>; rel="prev"`.',
    schema: { type: 'string' },
  },
  ETag: {
    description:
      'What the resource is now. `If-Match` compares the part before the dot, which changes with the fields that callers set; the part behind it also with figures and states.',
    schema: { type: 'string', pattern: '^"[\\w-]+\\.[\\w-]+"$' },
  },
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } },
  RateLimit: {
    description:
      'What is left of limits of the caller: `"searches";r=3, "program-minute";r=40;t=21`. `r`: how many more now; `t`: seconds until there are more. As draft-ietf-httpapi-ratelimit-headers-10 says. Absent: no limit of the caller alone was met; a 429 may be of a limit that callers share, or of the platform.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: `The limits of \`RateLimit\`: \`"program-minute";q=60;w=60\`: 60 in 60 seconds. With \`qu="concurrent-requests"\`: so many at once.\n\n${Object.entries(
      RATE_LIMITS,
    )
      .map(([name, note]) => `- \`${name}\`: ${note}`)
      .join('\n')}`,
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string', const: 'Bearer' } },
  'Idempotency-Replayed': {
    description: 'True if an earlier call with the same `Idempotency-Key` had this answer. Absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'Set-Cookie': {
    description:
      'The `session` cookie: HttpOnly, SameSite=Lax, Secure over HTTPS. The session ends 30 days after the sign-in, or after seven days without use.',
    schema: { type: 'string' },
  },
};

function headerRefs(names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** When each code is given, and an example of its sentence. */
export const ERROR_NOTES: Readonly<Record<ErrorCode, { when: string; sentence: string }>> = {
  bad_request: {
    when: 'An input is missing, has the wrong type, is out of range or is unknown; or the JSON is malformed; or the bot is disabled.',
    sentence: 'bot_id is required',
  },
  unauthorized: {
    when: 'The credential is missing, wrong, disabled or expired.',
    sentence: 'A valid API key or session is needed',
  },
  second_factor_needed: {
    when: 'The username and the password are right, and the account has a second factor: `code` or `passkey` is missing, wrong or was used. Or a session that did not prove it adds another one.',
    sentence: 'A code of the authenticator app or a passkey is needed',
  },
  forbidden: {
    when: 'The role does not allow the call, the key is limited to other bots, the caller does not see the bot, the password must be changed or a second factor be set up first, or a page of another site sent the call.',
    sentence: 'This bot is not among yours',
  },
  not_found: { when: 'Something that an input names does not exist.', sentence: 'Bot not found' },
  method_not_allowed: { when: 'The path does not accept this method.', sentence: 'This path does not accept PUT' },
  conflict: {
    when: 'It exists already. Of a call with an `Idempotency-Key`: nobody knows if the first call with it was carried out, or its answer is not kept.',
    sentence: 'This token is registered already, as bot 7',
  },
  ambiguous_conversation: {
    when: 'The chat has several conversations, of the bot itself and of business connections, and the call names none of them. `business_connection_ids` lists them.',
    sentence:
      'The chat has several conversations. Name one in business_connection_id: "" (the bot itself), "connection-1"',
  },
  precondition_failed: {
    when: 'The resource was changed since the answer with the ETag of `If-Match`. Nothing was changed by this call.',
    sentence: 'Changed by somebody else meanwhile: read it again',
  },
  idempotency_mismatch: {
    when: 'The key was used for another call.',
    sentence: 'This Idempotency-Key was used for another call',
  },
  payload_too_large: {
    when: 'The body is larger than 1 MiB (at sign-in: 16 KiB).',
    sentence: 'The body is larger than 1 MiB',
  },
  unsupported_media_type: {
    when: 'The body is neither JSON nor urlencoded.',
    sentence: 'The body must be JSON or urlencoded, and say so in Content-Type',
  },
  too_many_requests: {
    when: 'There were too many attempts, at Flotilla or at the platform. `Retry-After` says when to try again.',
    sentence: 'Too Many Requests: retry after 5',
  },
  quarantined: {
    when: 'The installation is a copy in quarantine, and the call would send something, or change something in the Redis of another installation. `POST /api/system/adopt` ends that.',
    sentence:
      'This installation is a copy in quarantine: it sends nothing until somebody says that it takes over (POST /api/system/adopt)',
  },
  token_refused: {
    when: "The platform does not accept the bot's token. It is wrong, or it was revoked.",
    sentence: 'Telegram refused this bot token',
  },
  platform_refused: {
    when: 'The platform refused the call. Its description is in `error`, its code in `error_code`.',
    sentence: 'Bad Request: chat not found',
  },
  platform_failed: {
    when: 'The platform failed, gave an answer that cannot be read, or could not be reached.',
    sentence: 'The platform could not be reached: ECONNREFUSED',
  },
  platform_timeout: {
    when: 'The platform did not answer in time.',
    sentence: 'The platform did not answer in time; it may have carried the call out',
  },
  unavailable: {
    when: 'Something that the service needs is down, or the service is overloaded. `Retry-After` says when to try again.',
    sentence: 'The service cannot reach its storage at the moment; try again shortly',
  },
  internal: {
    when: 'Any other error. The log shows it with the request id.',
    sentence: 'Something went wrong on our side',
  },
};
