import type { Automatic, MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { Words } from '../../../words/en.ts';

type Summed = Pick<Message, 'text' | 'media_type' | 'service'>;

/** A ban without a name is that of the bot, in a private chat. */
const OF_THE_BOT: Partial<Record<string, 'blocked' | 'unblocked'>> = { ban: 'blocked', unban: 'unblocked' };

/** A message in one line. */
export function summaryOf({ text, media_type: media, service }: Summed, { inbox: words }: Words): string {
  if (media === 'callback') return words.pressed(text ?? '');
  if (service !== undefined) return serviceLine(service, text ?? '', words);
  if (media !== undefined) return text ? `${words.media[media]}: ${text}` : words.media[media];
  return text ?? '';
}

type Written = Pick<Message, 'automatic' | 'account' | 'account_name' | 'program' | 'program_id'>;

/** Who wrote a message of the bot; null: only that it was the bot is known. */
export function writerOf({ automatic, account, account_name, program, program_id: id }: Written, words: Words) {
  if (automatic) return automaticLabel(automatic, words);
  if (account !== undefined) return account_name ?? account;
  return program ?? (id === undefined ? null : words.inbox.program(String(id)));
}

/** The sender of a message that answers nobody. */
function automaticLabel({ kind, id, name = '' }: Automatic, { inbox: words }: Words): string {
  switch (kind) {
    case 'broadcast':
    case 'outbox':
      return words.automatic[kind](name);
    case 'rule':
      return words.automatic.rule(String(id ?? ''));
    case 'away':
      return words.automatic.away;
    case 'held':
      return words.automatic.held(name);
  }
}

/** The api says in English what a service message is; what follows the colon is of the chat. */
export function serviceLine(service: string, text: string, { services }: Words['inbox']): string {
  const colon = text.indexOf(': ');
  const label = services[(colon < 0 ? OF_THE_BOT[service] : undefined) ?? (service as keyof typeof services)];
  if (label === undefined) return text || service;
  return colon < 0 ? label : `${label}: ${text.slice(colon + 2)}`;
}
