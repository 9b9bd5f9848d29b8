import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { type: 'minor' | 'major'; execution: 'sync' }) => void;

// The flag is taken back at once: compiled code is kept for a set of flags.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as Collect;
setFlagsFromString('--no-expose-gc');

/** Collects the garbage of this process, or its young garbage alone, before it returns. */
export function collectGarbage(type: 'minor' | 'major'): void {
  collect({ type, execution: 'sync' });
}
