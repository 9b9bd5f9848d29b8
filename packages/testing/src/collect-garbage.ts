import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { type: 'minor' | 'major'; execution: 'sync' }) => void;

/** Collects the garbage of this process, or its young garbage alone, before it returns. */
export function collectGarbage(type: 'minor' | 'major'): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as Collect)({ type, execution: 'sync' });
}
