import { scanMembers } from '@flotilla/telegram/parameters/json-text.ts';

/** The raw JSON of `result` in an answer of the platform, null unless the answer is a whole `"ok":true` one. */
export function extractResult(answer: string): string | null {
  let ok = false;
  let result: string | null = null;
  const whole = scanMembers(answer, (name, raw) => {
    if (name === 'ok') ok = raw === 'true';
    else if (name === 'result') result = raw;
    return false;
  });
  return whole && ok ? result : null;
}
