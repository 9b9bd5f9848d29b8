import type { BotDirectory } from '@flotilla/domain/fleet/bots/bot-directory.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { KnownSender } from '../http/known-sender.ts';

type Known = { clock: Clock; directory: BotDirectory };

/** Undefined also while this process does not hear of revocations. */
export function confirmedCredential(directory: BotDirectory, token: string): ProgramCredential | undefined {
  return directory.isConfirmed() ? directory.byProgramToken(token) : undefined;
}

/**
 * Another replica may just have made an unknown token, or revoked a known one. Rejects if the directory cannot be read:
 * without Redis, no token of a program is accepted.
 */
export async function credentialOf(directory: BotDirectory, token: string): Promise<ProgramCredential | undefined> {
  const found = confirmedCredential(directory, token);
  if (found !== undefined) return found;
  await directory.refresh();
  return directory.byProgramToken(token);
}

/** False for a token that belongs to no program, or has expired. */
export function isValid(
  { clock }: Pick<Known, 'clock'>,
  found: ProgramCredential | undefined,
): found is ProgramCredential {
  return found !== undefined && (found.token.expiresAtMs ?? Number.POSITIVE_INFINITY) > clock.nowMs();
}

/** A program's bodies take its part of what its bot may have. */
export function senderOf({ bot, program }: ProgramCredential): KnownSender {
  return { owner: `bot:${bot.id}`, scope: `program:${program.id}` };
}

/** True if a token that was valid may still act, after its body was waited for. Rejects as `credentialOf` does. */
export async function mayStillAct(context: Known, token: string): Promise<boolean> {
  return isValid(context, await credentialOf(context.directory, token));
}
