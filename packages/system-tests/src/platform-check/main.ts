import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BOT_API_VERSION } from '@flotilla/contract/bot-api/update-kinds.ts';
import { z } from 'zod';
import { installPackages } from '../installed-programs/install-packages.ts';
import { comparePlatform } from './compare-platform.ts';
import { describePlatform, type PlatformDescription, releaseIn } from './describe-platform.ts';

// npm run platform:check [-- <path>]: compares what we know of the Bot API by name with a description of it: a JSON document, the
// TypeScript declarations of a client, or without a path those of the newest client in the registry. Exits with 1 on a difference.

/** It is made from the platform's documentation, and has its version. */
const CLIENT = '@gramio/types';

const [path] = process.argv.slice(2);
const description = path === undefined ? await newestInRegistry() : await describePlatform(path);
const { missing, newer } = comparePlatform(description);
const { version, kinds, methods } = description;
const lines = [
  `We know ${BOT_API_VERSION}; the description has ${version ?? 'no version'}, ${kinds.length} kinds and ${methods.size} methods.`,
  ...missing.map((sentence) => `- ${sentence}`),
  ...newer.map((sentence) => `- (newer than the description) ${sentence}`),
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = missing.length === 0 ? 0 : 1;

async function newestInRegistry(): Promise<PlatformDescription> {
  const folder = await installPackages({ [CLIENT]: 'latest' });
  try {
    const root = join(folder, 'node_modules', CLIENT);
    const manifest = z.object({ version: z.string(), types: z.string() });
    const { version, types } = manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
    return { ...(await describePlatform(join(root, types))), version: releaseIn(version) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
