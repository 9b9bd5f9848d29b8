import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync' }) => void;

// The flag is taken back at once: compiled code is kept for a set of flags.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as Collect;
setFlagsFromString('--no-expose-gc');

/** Collects the garbage of this process before it returns. */
export function collectGarbage(): void {
  collect({ type: 'major', execution: 'sync' });
}
