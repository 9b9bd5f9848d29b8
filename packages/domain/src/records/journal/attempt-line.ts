/** One attempt to hand an update to a backend, or to send it on by a rule; `dropped` is none, but the end of an update without one. */
export type Attempt = {
  atMs: number;
  updateId: number;
  /** Null when it is in no chat. */
  chatId: number | null;
  outcome: 'delivered' | 'failed' | 'dropped';
  /** The HTTP status of the answer, of rules the platform's error code; 0 when there was no answer. */
  status: number;
  durationMs: number;
  /** 1 for the first one. */
  attempt: number;
  /** Of the configuration under which it was sent. */
  revision: number;
  /** Of rules: where it was sent, 'rule <id>' or 'the reply'. */
  destination?: string;
  /** The name in its lane of a copy that somebody replayed. Its attempt counts nowhere. */
  replay?: string;
  /** Of a failed one, and of a dropped one unless a rule or a filter kept it back. */
  error?: string;
  /** Why the call in the answer to a delivered update did not succeed. */
  call_error?: string;
  /** The call in the answer that was made, and the message that it sent. */
  call?: { method: string; messageId: number | null };
};

const TEXT_LENGTH = 1000;
const LINE = /^(\d+) (\d+) (-?\d+|-) (\d+) (\d+) (\d+) (\d+) (\S+) ([+\-!=x])(.*)$/;

/** The attempt on one line, which takes some 50 bytes; thousands are written in a second. */
export function attemptLine(attempt: Attempt): string {
  const { atMs, updateId, chatId, status, durationMs, revision, destination, replay } = attempt;
  const to = replay === undefined ? (destination?.replaceAll(' ', '_') ?? '-') : `${REPLAYED}${replay}`;
  return `${atMs} ${updateId} ${chatId ?? '-'} ${status} ${durationMs} ${attempt.attempt} ${revision} ${to} ${endOf(attempt)}`;
}

function endOf({ outcome, error = '', call_error, call }: Attempt): string {
  if (outcome === 'dropped') return `x${oneLine(error)}`;
  if (outcome === 'failed') return `-${oneLine(error)}`;
  if (call_error !== undefined) return `!${oneLine(call_error)}`;
  return call === undefined ? '+' : `=${call.method} ${call.messageId ?? ''}`;
}

function oneLine(text: string): string {
  return text
    .replace(/[\r\n\0]+/g, ' ')
    .slice(0, TEXT_LENGTH)
    .toWellFormed();
}

/** Null for a line that another release has written in another form. */
export function readAttemptLine(line: string): Attempt | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, at, update, chat, status, duration, attempt, revision, to = '-', mark, text = ''] = match;
  return {
    atMs: Number(at),
    updateId: Number(update),
    chatId: chat === '-' ? null : Number(chat),
    status: Number(status),
    durationMs: Number(duration),
    attempt: Number(attempt),
    revision: Number(revision),
    ...placeIn(to),
    ...endIn(mark, text),
  };
}

/** In place of a destination, which only attempts of rules have. */
const REPLAYED = '@';

function placeIn(to: string): Pick<Attempt, 'destination' | 'replay'> {
  if (to === '-') return {};
  return to.startsWith(REPLAYED) ? { replay: to.slice(REPLAYED.length) } : { destination: to.replaceAll('_', ' ') };
}

function endIn(mark: string | undefined, text: string): Pick<Attempt, 'outcome' | 'error' | 'call_error' | 'call'> {
  switch (mark) {
    case 'x':
      return { outcome: 'dropped', ...(text === '' ? {} : { error: text }) };
    case '-':
      return { outcome: 'failed', error: text };
    case '!':
      return { outcome: 'delivered', call_error: text };
    case '=': {
      const [method = '', messageId = ''] = text.split(' ');
      return { outcome: 'delivered', call: { method, messageId: messageId === '' ? null : Number(messageId) } };
    }
    default:
      return { outcome: 'delivered' };
  }
}
