import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { programKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../bots/bot.ts';
import { foreignWebhookText } from '../bots/foreign-webhook.ts';
import { serverWords } from '../upstreams/server-words.ts';
import type { Attention } from './attention.ts';
import type { ProgramAttentionByBot } from './program-attention.ts';

/** The last errors of a bot, '' for none; and the host of a foreign webhook, until when it is flooded, and how many sends are held. */
type Errors = {
  intake: string;
  backend: string;
  foreignHost: string;
  reach: string;
  floodUntilMs: number | null;
  heldSends: number;
};
export type TextOf = (bot: Bot, attention: Attention, errors: Errors) => string;

/** Where the state of a program says why. */
const REASONS = { program_failing: 'pushErr', program_parked: 'parkedFor' } as const;

/** Says for people what is wrong. Reads the last errors of the programs in trouble, and of no others. */
export async function attentionTexts(
  { redis }: { redis: Pick<RedisHandles, 'runMany'> },
  programs: ProgramAttentionByBot,
): Promise<TextOf> {
  const failing = [...programs].flatMap(([botId, list]) =>
    list.flatMap(({ kind, program: { id } }) =>
      kind === 'program_silent' ? [] : [{ botId, id, field: REASONS[kind] }],
    ),
  );
  const found = (await redis.runMany(
    failing.map(({ botId, id, field }) => ['hget', programKeys(botId, id).state, field]),
  )) as (string | null)[];
  const errors = new Map(failing.map(({ id }, at) => [id, found[at] ?? '']));
  return (bot, attention, ofBot) => textOf(bot, attention, ofBot, errors.get(attention.program_id ?? 0) ?? '');
}

function textOf(
  bot: Bot,
  { kind, program_id, sinceMs }: Attention,
  { intake, backend, foreignHost, reach, floodUntilMs, heldSends }: Errors,
  ofProgram: string,
): string {
  const name = `"${bot.programs.find(({ id }) => id === program_id)?.name ?? program_id}"`;
  const because = (error: string) => (error === '' ? '' : `: ${error}`);
  switch (kind) {
    case 'token_revoked':
      return intake || 'The platform refuses the token of the bot';
    case 'foreign_webhook':
      return foreignWebhookText(foreignHost);
    case 'intake_failing':
      return intake || 'No updates come in from the platform';
    case 'intake_paused':
      return intake || 'The backlog is full; the platform keeps the rest';
    case 'platform_unreachable':
      return `Calls do not get to ${serverWords(bot)}, and what is to be sent waits${because(reach)}`;
    case 'move_stuck':
      return `The move to ${serverWords({ upstream: bot.moving?.to ?? bot.upstream })} waits${because(bot.moving?.reason ?? '')}`;
    case 'backend_open':
    case 'backend_failing':
      return backend || 'The backend fails';
    case 'poller_silent':
      return `Updates wait, and no program is polling${sinceMs ? ` (last poll: ${new Date(sinceMs).toISOString()})` : ''}`;
    case 'program_silent':
      return `Updates wait, and the program ${name} is not polling`;
    case 'program_failing':
      return `The backend of the program ${name} fails${because(ofProgram)}`;
    case 'program_parked':
      return `The program ${name} is parked${because(ofProgram)}`;
    case 'sends_held':
      return `Held, since who handed them over lost the right: ${heldSends === 1 ? '1 message' : `${heldSends} messages`}`;
    case 'flood':
      return `Rate limited by the platform: some calls are refused until ${new Date(floodUntilMs ?? 0).toISOString()}`;
    case 'forwarding_off':
      return 'There is a backend, and forwarding is off';
    case 'nobody_reads':
      return 'No program connected: no backend, poller, program or rule reads the updates';
  }
}
