import { type Finding, fail, ok, warn } from './finding.ts';

/** Beyond this a process deletes nothing. */
const WRONG_MS = 60_000;
const NOTABLE_MS = 2_000;

/** Compares the clock of this machine with that of a store. */
export function checkClock(store: string, aheadMs: number): Finding {
  const check = `clock beside ${store}`;
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  const found = `this machine is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead'}`;
  const mend = 'set both clocks by NTP';
  if (Math.abs(aheadMs) > WRONG_MS) return fail(check, `${found}; beyond 60 s workers delete nothing`, mend);
  return Math.abs(aheadMs) > NOTABLE_MS ? warn(check, found, mend) : ok(check, `${seconds} s apart`);
}
