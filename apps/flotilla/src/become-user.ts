import { chownSync, mkdirSync, statSync } from 'node:fs';
import { inheritedEnv, readSettings } from '@flotilla/runtime/env.ts';
import { SETTINGS } from './config.ts';

/**
 * Begun as root: becomes RUN_AS and takes the directory over, because a volume may be root's; else becomes the owner of the
 * directory, so that nothing in it acts as root, and no file of root's is left there.
 */
export function becomeUser(dataDir: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (inheritedEnv().RUN_AS) takeOver(dataDir);
  else if (owner !== undefined && owner.uid !== 0) become(owner.uid, owner.gid);
}

function takeOver(dataDir: string): void {
  const { RUN_AS: id } = readSettings(SETTINGS);
  if (id === undefined) return;
  mkdirSync(dataDir, { recursive: true });
  chownSync(dataDir, id, id);
  become(id, id);
}

function become(uid: number, gid: number): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
