import { randomBytes, randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';
import type { SandboxSettings } from './config.ts';

const credentials = z.object({
  encryptionKey: z.string(),
  adminPassword: z.string(),
  adminApiKey: z.string(),
  demoBotToken: z.string(),
  demoBotSecret: z.string(),
});

export type Credentials = z.output<typeof credentials>;

/**
 * The credentials made at the first start. They are kept in a file that only its owner can read; values from the
 * environment win over them.
 */
export async function keepCredentials(dataDir: string, settings: SandboxSettings): Promise<Credentials> {
  const file = join(dataDir, 'credentials.json');
  const kept = await readKept(file);
  const all = kept ?? makeCredentials();
  if (!kept) await writeFile(file, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  return {
    ...all,
    encryptionKey: settings.ENCRYPTION_KEY ?? all.encryptionKey,
    adminPassword: settings.ADMIN_PASSWORD ?? all.adminPassword,
    adminApiKey: settings.ADMIN_API_KEY ?? all.adminApiKey,
  };
}

async function readKept(file: string): Promise<Credentials | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new FlotillaError('unavailable', `${file} cannot be read: ${error.message}.`);
  });
  if (text === null) return null;
  try {
    return credentials.parse(JSON.parse(text));
  } catch (error) {
    throw new FlotillaError('unavailable', `${file} is damaged: restore it, or remove its whole directory.`, {
      cause: error,
    });
  }
}

function makeCredentials(): Credentials {
  const secret = (bytes: number) => randomBytes(bytes).toString('base64url');
  return {
    encryptionKey: randomBytes(32).toString('base64'),
    adminPassword: secret(15),
    adminApiKey: `flt_${secret(30)}`,
    demoBotToken: `${randomInt(1_000_000_000, 7_000_000_000)}:AA${secret(25).slice(0, 33)}`,
    demoBotSecret: secret(24),
  };
}
