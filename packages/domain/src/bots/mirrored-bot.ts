import { keptCertificate } from './backend-certificate.ts';
import type { Bot } from './bot.ts';

/** A bot as the mirror stores it. It keeps the old name of the registration id, because running releases read it. */
type MirroredBot = Omit<Bot, 'registrationId' | 'createdAt' | 'programs'> & {
  programs?: Bot['programs'];
  generation: string;
  createdAt: string;
};

/** The text of a mirrored bot, readable for this release and the previous one. */
export function mirroredText({ registrationId, ...bot }: Bot): string {
  return JSON.stringify({ ...bot, generation: registrationId });
}

export function botFromMirror(text: string): Bot {
  const { generation, ...bot } = JSON.parse(text) as MirroredBot;
  return {
    ...bot,
    // The release before knows no programs; reconcileBots repairs what it writes.
    programs: (bot.programs ?? []).map((program) => ({ ...program, tokens: program.tokens ?? [] })),
    registrationId: generation,
    backendCertificate: keptCertificate(bot.backendCertificate),
    createdAt: new Date(bot.createdAt),
  };
}
