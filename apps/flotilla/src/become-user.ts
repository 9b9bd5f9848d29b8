import { chownSync, mkdirSync } from 'node:fs';
import { inheritedEnv, readSettings } from '@flotilla/runtime/env.ts';
import { SETTINGS } from './config.ts';

/** In a container that begins as root, because its volume may be root's: takes the directory over and becomes RUN_AS. */
export function becomeUser(dataDir: string): void {
  if (process.getuid?.() !== 0 || !inheritedEnv().RUN_AS) return;
  const { RUN_AS: id } = readSettings(SETTINGS);
  if (id === undefined) return;
  mkdirSync(dataDir, { recursive: true });
  chownSync(dataDir, id, id);
  process.setgroups?.([id]);
  process.setgid?.(id);
  process.setuid?.(id);
}
