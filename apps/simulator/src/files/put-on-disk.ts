import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { SimBot } from '../bots/sim-bot.ts';
import type { SimFile } from './sim-file.ts';

/** Writes the file where a server in local mode has those of the bot, unless it is there, and returns its absolute path. */
export async function putOnDisk(workingDir: string, bot: SimBot, file: SimFile): Promise<string> {
  const directory = bot.isTest ? `${bot.token}:T` : bot.token;
  const path = resolve(workingDir, directory, file.path);
  if ((await stat(path).catch(() => null)) !== null) return path;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.bytes);
  return path;
}
