import { expect, test } from '@jest/globals';
import { botApiError } from './bot-api-error.ts';

test('an error wears the platform envelope, with parameters only where there are some', () => {
  expect(botApiError(404, 'Not Found')).toEqual({
    status: 404,
    body: '{"ok":false,"error_code":404,"description":"Not Found"}',
  });
  expect(JSON.parse(botApiError(429, 'Too Many Requests: retry after 5', { retry_after: 5 }).body)).toEqual({
    ok: false,
    error_code: 429,
    description: 'Too Many Requests: retry after 5',
    parameters: { retry_after: 5 },
  });
});
