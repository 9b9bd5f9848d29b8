import { addValue, type Params } from './params.ts';

const LINE = Buffer.from('\r\n');
const BLANK = Buffer.from('\r\n\r\n');

/**
 * Reads a whole multipart body and returns the bytes of plain parameters. Real clients send empty bodies, a closing
 * boundary alone, unquoted file names with spaces, and files before fields.
 */
export function parseMultipart(params: Params, contentType: string, body: Buffer): number {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  if (boundary === null) return 0;
  const delimiter = Buffer.from(`--${boundary[1] ?? boundary[2]}`);
  let plainBytes = 0;
  let at = body.indexOf(delimiter);
  while (at >= 0) {
    const partStart = at + delimiter.length;
    if (body.subarray(partStart, partStart + 2).toString() === '--') break;
    const next = body.indexOf(Buffer.concat([LINE, delimiter]), partStart);
    const end = next < 0 ? body.length : next;
    plainBytes += addPart(params, body.subarray(partStart, end));
    at = next < 0 ? -1 : next + LINE.length;
  }
  return plainBytes;
}

function addPart(params: Params, part: Buffer): number {
  const headEnd = part.indexOf(BLANK);
  if (headEnd < 0) return 0;
  const head = part.subarray(0, headEnd).toString('utf8');
  const content = part.subarray(headEnd + BLANK.length);
  const disposition = headerOf(head, 'content-disposition');
  const field = parameterOf(disposition, 'name');
  if (field === undefined) return 0;
  const name = parameterOf(disposition, 'filename');
  if (name === undefined) {
    addValue(params, field, content.toString('utf8'));
    return content.length;
  }
  const mime = headerOf(head, 'content-type') || 'application/octet-stream';
  if (!params.files.has(field)) params.files.set(field, { field, name, mime, bytes: Buffer.from(content) });
  return 0;
}

function headerOf(head: string, name: string): string {
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return '';
}

/** A disposition parameter, quoted or not; an unquoted value ends at the next semicolon, so it may contain spaces. */
function parameterOf(disposition: string, name: string): string | undefined {
  const extended = new RegExp(`;\\s*${name}\\*=(?:utf-8|iso-8859-1)?'[^']*'([^;]+)`, 'i').exec(disposition);
  const plain = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;]*))`, 'i').exec(disposition);
  if (plain !== null) return (plain[1]?.replace(/\\(.)/g, '$1') ?? plain[2] ?? '').trim();
  if (extended === null) return undefined;
  try {
    return decodeURIComponent(extended[1]!.trim());
  } catch {
    return extended[1]!.trim();
  }
}
