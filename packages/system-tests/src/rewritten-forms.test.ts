import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { rewrittenForm } from '@flotilla/api/bot-api-proxy/programs/write-parameters.ts';
import { readCall, uploadOf } from '@flotilla/domain/delivery/push/read-call.ts';
import { newParams } from '@flotilla/simulator/http/params.ts';
import { parseMultipart } from '@flotilla/simulator/http/parse-multipart.ts';
import { multipartForm } from '@flotilla/telegram/multipart-form.ts';
import { expect, test } from '@jest/globals';

const CONTENT = Buffer.from([0, 0xd0, 0x0d, 0x0a, 0xff]);
const EVERY_LATIN_SIGN = Array.from({ length: 0x17f }, (_, code) => `a${String.fromCharCode(code + 1)}b`);
const NAMES = [
  ...[
    'photo',
    'файл',
    '文件',
    'ملف',
    'ファイル.png',
    'क्षि',
    '👩‍👩‍👧',
    '🇩🇪 flag',
    'e\u0301',
    '\u202eright',
    'Ünï',
    '𝒳',
    '\ufeffbom',
  ],
  ...[
    'a"b',
    "a'b",
    'a\\b',
    'a\\"b',
    'a\nb',
    'a\r\nb',
    'a\r\n\r\nb',
    'a; name="chat_id',
    'a%20b',
    'a%2',
    '%',
    'a+b',
    'a=b&c',
    ' a ',
    '--x--',
  ],
  ...EVERY_LATIN_SIGN,
];
/** How clients write a name between quotes: as browsers do, with backslashes, and percent-encoded. */
const WRITERS: Record<string, (name: string) => string> = {
  browser: (name) => name.replace(/\r\n|\r|\n/g, '%0D%0A').replaceAll('"', '%22'),
  backslashes: (name) => name.replace(/["\\]/g, '\\$&'),
  percents: encodeURIComponent,
};
const TYPE = 'multipart/form-data; boundary=B';

function formOf(name: string, write: (name: string) => string): Buffer {
  const field = (of: string, value: string) =>
    Buffer.from(`--B\r\nContent-Disposition: form-data; name="${write(of)}"\r\n\r\n${value}\r\n`);
  const file = `form-data; name="${write(name)}"; filename="${write(name)}"`;
  return Buffer.concat([
    ...[field('method', 'sendDocument'), field('document', `attach://${name}`), field(`x${name}`, name)],
    ...[Buffer.from(`--B\r\nContent-Disposition: ${file}\r\nContent-Type: image/png\r\n\r\n`), CONTENT],
    Buffer.from('\r\n--B--\r\n'),
  ]);
}

/** What the platform reads in a form; null if it refuses it. */
function readByPlatform(type: string, body: Buffer) {
  const params = newParams();
  if (parseMultipart(params, type, body) !== null) return null;
  const { method: _method, ...values } = Object.fromEntries(params.values);
  return {
    values,
    files: [...params.files.values()].map(({ field, name, mime, bytes }) => ({ field, name, mime, bytes })),
  };
}

/** Writes, like the proxy, the form of a limited token anew, while it comes in pieces. */
function rewrittenByProxy(body: Buffer) {
  const limits = { chats: null, threads: null, named: new Set<string>(), maySpend: true, mayNameFiles: true };
  const refuse = () => ({ ok: false, code: 403, description: 'refused' }) as never;
  const own = rewrittenForm({
    boundary: 'B',
    method: 'senddocument',
    first: new Map(),
    limits,
    refuse,
    holds: () => true,
  });
  if (!('rewrite' in own)) throw new Error('the form is not written anew');
  const { type, rewrite } = own;
  const pieces = Array.from({ length: Math.ceil(body.length / 7) }, (_, at) => body.subarray(at * 7, at * 7 + 7));
  const written = [...pieces.map((piece) => rewrite.write(piece)), rewrite.end()];
  return { type, body: Buffer.concat(written as Buffer[]) };
}

/** Writes the call in a backend's answer anew, like a worker. */
async function rewrittenByWorker(body: Buffer) {
  const call = readCall({ contentType: TYPE, reply: body });
  if (call === null || call === 'too-many') return null;
  const form = multipartForm(call.params, call.files.map(uploadOf));
  return { type: form.headers['content-type']!, body: await buffer(form.body as Readable) };
}

test.each(Object.entries(WRITERS))(
  'the names of parts and what attach:// names are the same in a form that is written anew, in any script (%s)',
  async (_style, write) => {
    const different: string[] = [];
    let read = 0;
    for (const name of NAMES) {
      const body = formOf(name, write);
      const asSent = readByPlatform(TYPE, body);
      if (asSent === null) continue;
      read += 1;
      const byWorker = await rewrittenByWorker(body);
      const forms = [rewrittenByProxy(body), byWorker].map((form) => form && readByPlatform(form.type, form.body));
      if (forms.some((form) => JSON.stringify(form) !== JSON.stringify(asSent))) different.push(name);
    }
    expect(different).toEqual([]);
    expect(read).toBeGreaterThan(NAMES.length / 2);
  },
);
