/** The request header in lower case, as Node gives it. */
export const KEY_HEADER = 'idempotency-key';
/** Of an answer that was given before. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Completes a sentence that begins with the name of the header. */
export const KEY_FORM = 'must be given once, with 1 to 255 visible ASCII characters';

/** Node joins two headers of that name by a comma and a space, which no key has. */
export function isIdempotencyKey(value: string | string[]): value is string {
  return typeof value === 'string' && KEY.test(value);
}
