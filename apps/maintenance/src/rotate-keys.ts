import { countKeys, type Rotation, rotateKeys as rotate } from '@flotilla/domain/key-rotation/rotate-keys.ts';
import { openProcess } from '@flotilla/domain/startup/open-process.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { readSealedConfig } from './maintenance-settings.ts';

/** `rotate-keys [--check]`: exits with 0 when the first key alone opens everything, else with 1. */
export async function rotateKeys(args: string[], signal: AbortSignal): Promise<number> {
  const lookOnly = args[0] === '--check';
  if (args.length > (lookOnly ? 1 : 0))
    throw new FlotillaError('bad_request', 'rotate-keys takes no argument but --check.');
  const config = readSealedConfig();
  const log = createLogger({ name: 'rotate-keys', level: config.logLevel });
  const opened = await openProcess('rotate-keys', config, { log });
  try {
    const rotation = await (lookOnly ? countKeys : rotate)({ ...opened, signal });
    process.stdout.write(describe(rotation, opened.secrets.keyId));
    return rotation.outcome === 'done' ? 0 : 1;
  } finally {
    await opened.close();
  }
}

function describe({ outcome, resealed, lines }: Rotation, firstKeyId: string): string {
  const found = lines.map(
    ({ place, keyId, sealing, count }) => `  ${place}: ${count} with the key "${keyId}" (${sealing})`,
  );
  return [
    `Sealed anew: ${resealed}. What is sealed with which key now:`,
    ...found,
    conclusion(outcome, firstKeyId),
    '',
  ].join('\n');
}

function conclusion(outcome: Rotation['outcome'], firstKeyId: string): string {
  switch (outcome) {
    case 'done':
      return `Done: "${firstKeyId}" opens everything. The other keys may go from ENCRYPTION_KEY, but keep them for the backups made so far.`;
    case 'old-left':
      return 'Not done: other keys are still needed ("old"), or the previous release sealed it ("legacy") or did not ("plain"). Run rotate-keys; if it keeps coming back, a process still has another key first, or is of that release.';
    case 'locked':
      return 'Not done: some of it no listed key opens. List the key that sealed it under the id it had, and run this again; remove no key.';
  }
}
