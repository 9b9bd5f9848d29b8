import { keptCertificate } from './backend-certificate.ts';
import type { Bot } from './bot.ts';

/** A bot as the mirror has it; its name for the registration id is older, and running releases read it. */
type MirroredBot = Omit<Bot, 'registrationId' | 'createdAt'> & { generation: string; createdAt: string };

/** The text that every process of this release and of the previous one reads. */
export function mirroredText({ registrationId, ...bot }: Bot): string {
  return JSON.stringify({ ...bot, generation: registrationId });
}

export function botFromMirror(text: string): Bot {
  const { generation, ...bot } = JSON.parse(text) as MirroredBot;
  return {
    ...bot,
    registrationId: generation,
    backendCertificate: keptCertificate(bot.backendCertificate),
    createdAt: new Date(bot.createdAt),
  };
}
