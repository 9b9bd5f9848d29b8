import type { EventKind, EventResource } from '@flotilla/contract/events.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { StoredEvent } from '../../people/events/event-store.ts';

/** An event as a sink gets it. */
export type ShownEvent = {
  resource: EventResource;
  /** How many more of the same kind it stands for. */
  repeats: number;
  botName: string | null;
  /** Where the console shows it; null without a public address. */
  link: string | null;
};

const MARKS: Record<'begun' | 'over' | 'news', string> = { begun: '🔴', over: '🟢', news: '🔵' };
const LOOKS: Record<EventKind, keyof typeof MARKS> = {
  'backend.failing': 'begun',
  'backend.recovered': 'over',
  'poller.silent': 'begun',
  'poller.back': 'over',
  'program.silent': 'begun',
  'program.back': 'over',
  'program.parked': 'begun',
  'dead_letters.grew': 'begun',
  'intake.refused': 'begun',
  'intake.resumed': 'over',
  'flood.began': 'begun',
  'flood.ended': 'over',
  'bot.unauthorized': 'begun',
  'broadcast.done': 'news',
  'chat.held': 'news',
  'chat.awaits': 'begun',
  'bot.added': 'news',
  'sign_in.new_address': 'news',
  'key.created': 'news',
};

export function presentEvent(event: StoredEvent): EventResource {
  const { id, kind, bot_id: botId, program_id: programId, chat_id: chatId, text, at } = event;
  return {
    id,
    kind: kind as EventKind,
    at: at.toISOString(),
    ...(botId === null ? {} : { bot_id: botId }),
    ...(programId === null ? {} : { program_id: programId }),
    ...(chatId === null ? {} : { chat_id: chatId }),
    text,
  };
}

export function shownEvent(
  { directory, publicUrl }: { directory: BotDirectory; publicUrl: string | null },
  event: StoredEvent,
  repeats: number,
): ShownEvent {
  const resource = presentEvent(event);
  const bot = event.bot_id === null ? undefined : directory.byId(event.bot_id);
  return {
    resource,
    repeats,
    botName: bot?.name ?? null,
    link: publicUrl === null ? null : `${publicUrl.replace(/\/+$/, '')}/console/${pageOf(event)}`,
  };
}

function pageOf({ id, bot_id: botId, chat_id: chatId }: StoredEvent): string {
  if (botId === null) return `events?open=${id}`;
  return chatId === null ? `bots/${botId}` : `inbox/${botId}/${chatId}`;
}

/** What a person reads in a chat. */
export function textOfEvent({ resource, repeats, botName, link }: ShownEvent): string {
  const { kind, text } = resource;
  const subject = botName ?? 'Flotilla';
  const more = repeats > 0 ? ` (and ${repeats} more)` : '';
  return [`${MARKS[LOOKS[kind]]} ${subject}: ${text}${more}`, kind, ...(link === null ? [] : [link])].join('\n');
}
