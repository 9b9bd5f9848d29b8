/** How an update came into the log: from the platform, again by a redrive, or after it was held. */
export type Via = 'polling' | 'webhook' | 'redrive' | 'held';

/** A line of the journal about an update that was accepted, as accept-updates.lua and redrive.lua write it. */
export type AcceptedLine = {
  atMs: number;
  update_id: number;
  via: Via;
  /** False: of a kind that the default readers did not ask for, or taken by a program. */
  isAllowed: boolean;
  /** The message that the update is about; of a redrive the name of the update in its lane. */
  place: string | null;
  /** The chat, where the lane is not that of a chat. */
  chat_id: number | null;
  /** Which programs get it, as lib/log.lua says; of a redrive its reader. */
  mark: string | null;
  lane: string;
  kind: string;
};

const VIAS: Record<string, Via> = { p: 'polling', w: 'webhook', r: 'redrive', h: 'held' };
const LINE = /^(\d+) (\d+) ([pwrh]) ([01]) (\S+) (\S+) (\S+) (\S+) (.*)$/;

/** Null for a line that cannot be read. */
export function readAcceptedLine(line: string): AcceptedLine | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, at, update, via = '', later, place = '-', chat = '-', mark = '-', lane = '', kind = ''] = match;
  return {
    atMs: Number(at),
    update_id: Number(update),
    via: VIAS[via]!,
    isAllowed: later === '0',
    place: place === '-' ? null : place,
    chat_id: chat === '-' ? null : Number(chat),
    mark: mark === '-' ? null : mark,
    lane,
    kind,
  };
}
