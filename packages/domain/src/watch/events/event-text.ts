import { type EventKind, type EventResource, type EventRow, eventResource } from '@flotilla/contract/events.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';

/** An event as a sink gets it. */
export type ShownEvent = {
  resource: EventResource;
  /** How many more of the same kind it stands for. */
  repeats: number;
  botName: string | null;
  /** Where the console shows it, and all events; null without a public address. */
  link: string | null;
  listLink: string | null;
  /** Nothing happened: somebody tests the sink. */
  isTest?: true;
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
  'platform.unreachable': 'begun',
  'platform.reached': 'over',
  'sends.held': 'begun',
  'sends.released': 'over',
  'bot.unauthorized': 'begun',
  'removal.waits': 'begun',
  'clock.apart': 'begun',
  'clock.right': 'over',
  'installation.quarantined': 'begun',
  'installation.resumed': 'over',
  'broadcast.done': 'news',
  'chat.held': 'news',
  'chat.bound': 'news',
  'chat.awaits': 'begun',
  'bot.added': 'news',
  'bot.moved': 'news',
  'bot.not_adopted': 'begun',
  'sign_in.new_address': 'news',
  'second_factor.added': 'news',
  'second_factor.removed': 'news',
  'key.created': 'news',
};

export function presentEvent(event: EventRow): EventResource {
  return answerOf(eventResource, {
    ...event,
    business_connection_id: event.business_connection_id || undefined,
  });
}

export function shownEvent(
  { directory, publicUrl }: { directory: BotDirectory; publicUrl: string | null },
  event: EventRow,
  repeats: number,
): ShownEvent {
  const resource = presentEvent(event);
  const bot = event.bot_id === null ? undefined : directory.byId(event.bot_id);
  const root = publicUrl === null ? null : `${publicUrl.replace(/\/+$/, '')}/console/`;
  return {
    resource,
    repeats,
    botName: bot?.name ?? null,
    link: root && root + pageOf(event),
    listLink: root && `${root}events`,
  };
}

function pageOf({ id, bot_id, chat_id, business_connection_id: connection }: EventRow): string {
  if (bot_id === null) return `events?open=${id}`;
  if (chat_id === null) return `bots/${bot_id}`;
  const ofConnection = connection === '' ? '' : `?${new URLSearchParams({ connection })}`;
  return `inbox/${bot_id}/${chat_id}${ofConnection}`;
}

/** Of the platform: longer messages are refused. */
const MESSAGE_LENGTH = 4_000;
/** So that each kind can be read on one screen. */
const LINES_OF_A_KIND = 5;
const LINE_LENGTH = 200;

/** The text for a person in a chat. Of several events the kinds, in order, each with its first ones. */
export function textOfEvents(events: readonly ShownEvent[]): string {
  const [first, ...others] = events;
  if (first === undefined) return '';
  if (others.length === 0)
    return [lineOf(first), first.resource.kind, ...(first.link === null ? [] : [first.link])].join('\n');
  const lines = [...Map.groupBy(events, ({ resource }) => resource.kind)].flatMap(([kind, ofKind]) => {
    const left = ofKind.length - LINES_OF_A_KIND;
    const shown = ofKind.slice(0, LINES_OF_A_KIND).map((event) => cut(lineOf(event), LINE_LENGTH));
    return [`${kind}: ${ofKind.length}`, ...shown, ...(left > 0 ? [`… and ${left} more`] : [])];
  });
  const link = first.listLink === null ? [] : [first.listLink];
  return [cut(lines.join('\n'), MESSAGE_LENGTH), ...link].join('\n');
}

function lineOf({ resource: { kind, text }, repeats, botName }: ShownEvent): string {
  const more = repeats > 0 ? ` (and ${repeats} more)` : '';
  return `${MARKS[LOOKS[kind]]} ${botName ?? 'Flotilla'}: ${text}${more}`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
