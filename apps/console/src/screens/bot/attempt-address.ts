/** The update that an attempt was of is a part of its id. */
export function updateOfAttempt(id: string): string | undefined {
  return /(?:^|-)(\d+)-\d{13}-\d+$/.exec(id)?.[1];
}

/** An id of an attempt in an address. */
export function readAttempt(id: unknown): string | undefined {
  return typeof id === 'string' && id.length < 100 && updateOfAttempt(id) !== undefined ? id : undefined;
}
