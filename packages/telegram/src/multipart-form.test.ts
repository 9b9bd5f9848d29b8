import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { multipartForm } from './multipart-form.ts';

const CONTENT = Buffer.from('bytes');

async function linesOf(name: string): Promise<string[]> {
  const file = {
    field: name,
    name: 'a.txt',
    mime: 'text/plain',
    size: CONTENT.length,
    stream: Readable.from([CONTENT]),
  };
  const { headers, body } = multipartForm({ [name]: 'value' }, [file]);
  const form = await text(body);
  expect(headers['content-length']).toBe(String(form.length));
  return form.split('\r\n').filter((line) => /^content-/i.test(line));
}

test.each([
  ['chat_id', 'chat_id'],
  ['x"; name="allow_paid_broadcast', 'x%22%3B%20name%3D%22allow_paid_broadcast'],
  ['allow%5Fpaid_broadcast', 'allow%255Fpaid_broadcast'],
  ['reply_parameters"\r\nContent-Other: "', 'reply_parameters%22%0D%0AContent-Other%3A%20%22'],
  ['x\\', 'x%5C'],
])('the name %j stays one name', async (name, written) => {
  expect(await linesOf(name)).toEqual([
    `Content-Disposition: form-data; name="${written}"`,
    `Content-Disposition: form-data; name="${written}"; filename="a.txt"`,
    'Content-Type: text/plain',
  ]);
});
