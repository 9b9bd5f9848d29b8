import { type BodyFault, badBody } from './body-fault.ts';

/** RFC 2046 allows 70 bytes, and so does the platform. */
const LONGEST_BOUNDARY = 70;

const NOT_FOUND = badBody('boundary not found');
const NO_VALUE = badBody('boundary value not found');
const WRONG_SIZE = badBody('boundary too big or empty');

/**
 * The boundary of a multipart content type, each character a byte, as `HttpReader::do_read_next` of the platform finds it:
 * what follows the first `=` behind the first "boundary", up to a semicolon.
 */
export function multipartBoundary(contentType: string): { boundary: string } | { fault: BodyFault } {
  const named = contentType.toLowerCase().indexOf('boundary');
  if (named === -1) return { fault: NOT_FOUND };
  const equals = contentType.indexOf('=', named + 'boundary'.length);
  if (equals === -1) return { fault: NO_VALUE };
  const end = contentType.indexOf(';', equals);
  const value = contentType.slice(equals + 1, end === -1 ? undefined : end);
  const boundary = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
  return boundary === '' || boundary.length > LONGEST_BOUNDARY ? { fault: WRONG_SIZE } : { boundary };
}
