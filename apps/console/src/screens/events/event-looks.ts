import type { EventKind } from '@flotilla/contract/events.ts';

type Look = 'ok' | 'disabled' | 'open';

/** How each kind looks: something is wrong, it is over, or it is news. */
export const LOOKS: Record<EventKind, Look> = {
  'backend.failing': 'open',
  'backend.recovered': 'ok',
  'poller.silent': 'open',
  'poller.back': 'ok',
  'program.silent': 'open',
  'program.back': 'ok',
  'program.parked': 'open',
  'dead_letters.grew': 'open',
  'intake.refused': 'open',
  'intake.resumed': 'ok',
  'flood.began': 'open',
  'flood.ended': 'ok',
  'platform.unreachable': 'open',
  'platform.reached': 'ok',
  'sends.held': 'open',
  'sends.released': 'ok',
  'bot.unauthorized': 'open',
  'removal.waits': 'open',
  'clock.apart': 'open',
  'clock.right': 'ok',
  'installation.quarantined': 'open',
  'installation.resumed': 'ok',
  'broadcast.done': 'disabled',
  'chat.held': 'disabled',
  'chat.bound': 'disabled',
  'chat.awaits': 'open',
  'bot.added': 'disabled',
  'sign_in.new_address': 'disabled',
  'key.created': 'disabled',
};

export const EVENT_KINDS = Object.keys(LOOKS) as EventKind[];
