import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { makeDataDir } from '@flotilla/embedded/own-data.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** Made at the first start, and never written again. */
const SECRETS = 'flotilla.env';
/** Where the stores of the directory listen. */
const STORES = 'stores.env';
const OWNER_ONLY = 0o600;
const HEAD = `# Made by the first start of flotilla over this directory. Keep a copy elsewhere: without ENCRYPTION_KEY nobody can read
# the tokens of the bots.
`;

export type Kept = Record<string, string>;

/** Nothing else of the files counts: other settings may name commands that would run as whoever reads them. */
const NAMES_OF_SECRETS = ['ENCRYPTION_KEY', 'ADMIN_PASSWORD', 'ADMIN_API_KEY', 'DEMO_BOT_TOKEN', 'DEMO_BOT_SECRET'];
const NAMES_OF_STORES = ['DATABASE_URL', 'REDIS_URL'];

/** The settings that a data directory keeps; none if it is new. */
export async function readKept(dataDir: string): Promise<Kept> {
  return {
    ...only(NAMES_OF_SECRETS, await read(join(dataDir, SECRETS))),
    ...only(NAMES_OF_STORES, await read(join(dataDir, STORES))),
  };
}

function only(names: string[], values: Kept): Kept {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

/** The secrets of the directory, made at its first start. Throws FlotillaError if they are gone and the data is not. */
export async function keepSecrets(dataDir: string, { demo }: { demo: boolean }): Promise<Kept> {
  await makeDataDir(dataDir);
  const file = join(dataDir, SECRETS);
  const kept = await read(file);
  const missing = Object.entries(newSecrets(demo)).filter(([name]) => !kept[name]);
  if (missing.length === 0) return only(NAMES_OF_SECRETS, kept);
  if (existsSync(join(dataDir, 'redis')) && kept.ENCRYPTION_KEY === undefined) {
    throw new FlotillaError(
      'unavailable',
      `${file} is missing or damaged, and the data beside it is sealed with its ENCRYPTION_KEY: put it back, or name another directory.`,
    );
  }
  const secrets = { ...kept, ...Object.fromEntries(missing) };
  await write(file, HEAD, secrets);
  return only(NAMES_OF_SECRETS, secrets);
}

export async function keepStores(dataDir: string, stores: Kept): Promise<void> {
  await write(join(dataDir, STORES), '', stores);
}

function newSecrets(demo: boolean): Kept {
  const secret = (bytes: number) => randomBytes(bytes).toString('base64url');
  return {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_PASSWORD: secret(15),
    ...(demo && {
      ADMIN_API_KEY: `flt_${secret(30)}`,
      DEMO_BOT_TOKEN: `${randomInt(1_000_000_000, 7_000_000_000)}:AA${secret(25).slice(0, 33)}`,
      DEMO_BOT_SECRET: secret(24),
    }),
  };
}

async function read(file: string): Promise<Kept> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new FlotillaError('unavailable', `${file} cannot be read: ${error.message}.`);
  });
  return parseEnv(text) as Kept;
}

/** A crash or a full disk leaves the old file. */
async function write(path: string, head: string, values: Kept): Promise<void> {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  const partial = `${path}.new`;
  try {
    const file = await open(partial, 'w', OWNER_ONLY);
    await file
      .writeFile(`${head}${lines.join('')}`)
      .then(() => file.sync())
      .finally(() => file.close());
    await rename(partial, path);
  } catch (error) {
    throw new FlotillaError('unavailable', `${path} cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}
