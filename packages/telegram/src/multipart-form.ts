import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { parameterJson } from './parameter-json.ts';
import type { UploadedFile } from './uploaded-file.ts';

/**
 * A call's parameters and files as multipart/form-data, with a length if every file's size is known. Values other than
 * strings are sent as JSON, as the platform reads them; undefined values are left out. Names may be those of a client: the
 * platform decodes percent signs in them. `isRead`: the whole body was read, so all of it may have gone out.
 */
export function multipartForm(
  params: Record<string, unknown>,
  files: UploadedFile[],
): { headers: Record<string, string>; body: Readable; isRead: () => boolean } {
  const boundary = `flotilla-${randomUUID()}`;
  const values = Object.entries(params).filter(([, value]) => value !== undefined);
  const fields = values.map(([name, value]) => {
    const text = typeof value === 'string' ? value : parameterJson(value);
    return Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${encodeURIComponent(name)}"\r\n\r\n${text}\r\n`,
    );
  });
  const heads = files.map((file) => {
    const disposition = `form-data; name="${encodeURIComponent(file.field)}"; filename="${quotable(file.name)}"`;
    return Buffer.from(
      `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${quotable(file.mime)}\r\n\r\n`,
    );
  });
  const end = Buffer.from(`--${boundary}--\r\n`);
  let isRead = false;
  async function* body() {
    yield* fields;
    for (const [at, file] of files.entries()) {
      yield heads[at] as Buffer;
      yield* file.stream;
      yield LINE_END;
    }
    isRead = true;
    yield end;
  }
  const length = knownLength([...fields, ...heads, end], files);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...(length === null ? {} : { 'content-length': String(length) }),
    },
    body: Readable.from(body(), { objectMode: false }),
    isRead: () => isRead,
  };
}

const LINE_END = Buffer.from('\r\n');

function knownLength(pieces: Buffer[], files: UploadedFile[]): number | null {
  let length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  for (const { size } of files) {
    if (size === null) return null;
    length += size + LINE_END.length;
  }
  return length;
}

/** The name of a file as a form has it between quotes. The platform decodes percent signs there, and takes \\ for an escape. */
export function quotable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they could end the line
  return name.replace(/[\0-\x1f"%\\\x7f]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
