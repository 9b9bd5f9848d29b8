import { describe, expect, test } from '@jest/globals';
import { documentedOperations } from './documented-operations.ts';
import { wrongTexts, wrongValues } from './wrong-values.ts';

const requestId = { $ref: '#/components/headers/X-Request-Id' };
const DOCUMENT = {
  paths: {
    '/api/things': {
      get: {
        operationId: 'showThing',
        'x-role': 'any',
        parameters: [{ name: 'id', in: 'query', required: true, schema: { type: 'integer' } }],
        responses: {
          200: {
            headers: { 'X-Request-Id': requestId },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
  },
  components: {
    headers: { 'X-Request-Id': { schema: { type: 'string' } } },
    responses: { NotFound: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } } },
    schemas: {
      Thing: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
      Error: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
    },
  },
};

describe('an answer contradicts the document', () => {
  const [operation] = documentedOperations(DOCUMENT);
  const found = (status: number, json: unknown, headers: Record<string, string> = { 'X-Request-Id': 'a' }) =>
    operation?.contradictions({
      status,
      json,
      text: JSON.stringify(json),
      headers: new Headers({ 'content-type': 'application/json; charset=utf-8', ...headers }),
    });

  test('never, when it is as documented', () => {
    expect(found(200, { id: 1 })).toEqual([]);
    expect(found(404, { error: 'Thing not found' }, {})).toEqual([]);
  });

  test('by a status that is not documented', () => {
    expect(found(409, { error: 'No' })).toEqual([expect.stringContaining('status 409 is not documented')]);
  });

  test('by a field too many, one too few, or one of another type', () => {
    expect(found(200, { id: 1, name: 'x' })).toEqual([expect.stringContaining('additional properties')]);
    expect(found(200, {})).toEqual([expect.stringContaining("required property 'id'")]);
    expect(found(404, { error: 1 }, {})).toEqual([expect.stringContaining('must be string')]);
  });

  test('by a header that is missing and by another content type', () => {
    expect(found(200, { id: 1 }, {})).toEqual(['the header X-Request-Id is missing']);
    expect(found(404, {}, { 'content-type': 'text/html' })).toEqual(['the content type text/html is not documented']);
  });
});

describe('the wrong values of a schema', () => {
  test('are beside its range, unless what lies above is lowered', () => {
    const range = { type: 'integer', minimum: 1, maximum: 100 };
    expect(wrongValues(range)).toEqual(expect.arrayContaining([null, 'x', 0, 101, 1.5]));
    expect(wrongValues({ ...range, 'x-above-maximum': 'lowered' })).not.toContain(101);
  });

  test('are too long, too short, of another form, and never null where that means something', () => {
    const name = { type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-z]+$' };
    expect(wrongValues(name)).toEqual(expect.arrayContaining(['x', 'xxxx', '!', 1.5]));
    expect(wrongValues({ anyOf: [name, { type: 'null' }] })).not.toContain(null);
  });

  test('are texts only for a query string, where a number is a fine text', () => {
    expect(wrongTexts({ type: 'string', maxLength: 3 })).toEqual(['nul \0', 'xxxx']);
    expect(wrongTexts({ type: 'integer', minimum: 1, maximum: 100 })).toEqual(
      expect.arrayContaining(['x', '0', '101']),
    );
  });
});
