import type { EventKind } from '@flotilla/contract/events.ts';

type Look = 'ok' | 'disabled' | 'failing' | 'open';

/** How each kind looks: updates do not get through, they may not, it is over, or it is news. */
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
  'flood.began': 'failing',
  'flood.ended': 'ok',
  'platform.unreachable': 'open',
  'platform.reached': 'ok',
  'sends.held': 'failing',
  'sends.released': 'ok',
  'bot.unauthorized': 'open',
  'removal.waits': 'failing',
  'clock.apart': 'failing',
  'clock.right': 'ok',
  'installation.quarantined': 'open',
  'installation.resumed': 'ok',
  'broadcast.done': 'disabled',
  'chat.held': 'disabled',
  'chat.bound': 'disabled',
  'chat.awaits': 'failing',
  'bot.added': 'disabled',
  'bot.moved': 'disabled',
  'bot.not_adopted': 'failing',
  'sign_in.new_address': 'disabled',
  'second_factor.added': 'disabled',
  'second_factor.removed': 'disabled',
  'key.created': 'disabled',
};

export const EVENT_KINDS = Object.keys(LOOKS) as EventKind[];
