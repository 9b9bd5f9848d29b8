import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { Option } from 'commander';

export const DATA_OPTION = new Option(
  '--data <directory>',
  'where the stores that it brings, its keys and its logs are (default: $DATA_DIR or ./flotilla-data)',
);

/** A demonstration has a directory of its own, so that nobody goes on with its bots by mistake. */
export function dataDirOf(named: string | undefined, { demo = false }: { demo?: boolean } = {}): string {
  return named ?? (inheritedEnv().DATA_DIR || (demo ? 'flotilla-demo' : 'flotilla-data'));
}
