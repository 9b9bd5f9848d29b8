import type { ErrorCode } from '../errors.ts';
import { ERROR_NOTES } from './error-codes.ts';
import { headerRefs } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';

type Responses = Record<string, JsonSchema>;

const REQUEST_ID = '7f1d9c2e-4a53-4f0b-9a53-0c8a1f3b6d21';
const WITH_RETRY_AFTER: readonly ErrorCode[] = ['too_many_requests', 'unavailable'];

/**
 * One response per status of the codes, as references; the responses themselves go into `components`, where operations
 * with the same codes share them.
 */
export function errorResponses(
  codes: readonly ErrorCode[],
  statusOf: Readonly<Record<ErrorCode, number>>,
  components: Responses,
): Responses {
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, sharing]) => {
      const name = sharing.toSorted().map(pascalCase).join('Or');
      components[name] ??= errorResponse(sharing);
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function errorResponse(codes: ErrorCode[]): JsonSchema {
  const headers = ['X-Request-Id'];
  if (codes.some((code) => WITH_RETRY_AFTER.includes(code))) headers.push('Retry-After');
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
