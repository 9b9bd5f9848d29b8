import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import type { Program } from './program.ts';
import { programStore } from './program-store.ts';

/** Locks a program until the transaction ends, its bot first as the deletion of a bot does. Throws 'not_found'. */
export async function lockProgram(db: Database, secrets: SecretBox, id: number): Promise<Program> {
  const programs = programStore(db, secrets);
  const found = await programs.find(id);
  const program = found && (await botStore(db).lock(found.bot_id)) && (await programs.lock(id));
  if (!program) throw new FlotillaError('not_found', 'Program not found');
  return program;
}
