import { keptCertificate } from './backend-certificate.ts';
import { type Bot, DEFAULT_MAX_CONNECTIONS } from './bot.ts';

/** A bot as the mirror stores it. It keeps the old name of the registration id, because running releases read it. */
type MirroredBot = Omit<
  Bot,
  'registrationId' | 'createdAt' | 'programs' | 'signing' | 'namedKinds' | 'backendIpAddress'
> & {
  signing?: Bot['signing'];
  backendIpAddress?: string;
  programs?: Bot['programs'];
  namedKinds?: string[];
  generation: string;
  createdAt: string;
};

/** The text of a mirrored bot, readable for this release and the previous one. */
export function mirroredText({ registrationId, ...bot }: Bot): string {
  return JSON.stringify({ ...bot, generation: registrationId });
}

const UNKNOWN_OF_PROGRAM = {
  tokens: [],
  mode: 'pull',
  backendUrl: '',
  secretToken: '',
  backendCertificate: '',
  backendIpAddress: '',
  webhookTokenId: null,
  webhookKinds: null,
  backendRole: 'user',
  maxConnections: DEFAULT_MAX_CONNECTIONS,
  filter: {},
  exclusive: false,
  order: 100,
  signing: null,
} as const;

export function botFromMirror(text: string): Bot {
  const { generation, ...bot } = JSON.parse(text) as MirroredBot;
  return {
    ...bot,
    // Earlier releases know less of programs, and nothing of signatures, named kinds and pinned addresses;
    // reconcileBots repairs what they write.
    namedKinds: bot.namedKinds ?? [],
    signing: bot.signing ?? null,
    backendIpAddress: bot.backendIpAddress ?? '',
    programs: (bot.programs ?? []).map((program) => ({ ...UNKNOWN_OF_PROGRAM, ...program })),
    registrationId: generation,
    backendCertificate: keptCertificate(bot.backendCertificate),
    createdAt: new Date(bot.createdAt),
  };
}
