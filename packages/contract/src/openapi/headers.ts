import type { JsonSchema } from './json-schema.ts';

/** The response headers that a client can use. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': {
    description: 'The id of this request; it is in the log line, too.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Total-Count': {
    description: 'How many rows the whole list has.',
    schema: { type: 'integer', format: 'int64', minimum: 0 },
  },
  Link: {
    description:
      'Where the next page is: `</api/…?before=…>; rel="next"`. Its cursor pages stably while rows are added. Absent on the last page.',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string', const: 'Bearer' } },
  'Set-Cookie': {
    description:
      'The `session` cookie: HttpOnly, SameSite=Lax, Secure over HTTPS. The session ends 30 days after the sign-in, or after seven days without use.',
    schema: { type: 'string' },
  },
};

/** References to them, for a response. */
export function headerRefs(names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
