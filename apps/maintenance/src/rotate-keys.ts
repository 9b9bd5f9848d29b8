import { countKeys, type Rotation, rotateKeys as rotate } from '@flotilla/domain/fleet/key-rotation/rotate-keys.ts';
import { openProcess } from '@flotilla/domain/startup/open-process.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { readSealedConfig } from './maintenance-settings.ts';

/** Returns 0 when the first key alone opens everything, else 1. */
export async function rotateKeys({ check = false }: { check?: boolean }, signal: AbortSignal): Promise<number> {
  const config = readSealedConfig();
  const log = createLogger({ name: 'rotate-keys', level: config.logLevel });
  const opened = await openProcess('rotate-keys', config, { log });
  try {
    const rotation = await (check ? countKeys : rotate)({ ...opened, signal });
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
      return `Done: "${firstKeyId}" opens everything. You may remove the other keys from ENCRYPTION_KEY, but keep them for the backups made so far.`;
    case 'old-left':
      return 'Not done: some secrets need other keys ("old"). Run rotate-keys; if they come back, a process runs whose first key is another.';
    case 'locked':
      return 'Not done: no listed key opens some secrets. Remove no key, list the key that sealed them under its old id, and run this again.';
  }
}
