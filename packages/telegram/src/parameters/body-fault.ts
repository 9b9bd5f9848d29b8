/** Why the platform refuses a body, with its status and in its words. */
export type BodyFault = { code: 400 | 413 | 431; description: string };

export function badBody(reason: string): BodyFault {
  return { code: 400, description: `Bad Request: ${reason}` };
}

export const TOO_MANY_FILES: BodyFault = {
  code: 413,
  description: 'Request Entity Too Large: too many files attached',
};
export const LONG_HEADERS: BodyFault = {
  code: 431,
  description: 'Request Header Fields Too Large: total headers size exceeded',
};
