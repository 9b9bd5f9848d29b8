import { type LookupAddress, lookup as systemLookup } from 'node:dns';

/** Has the signature of `dns.lookup` with `all`. */
export type NameLookup = (
  hostname: string,
  options: { all: true; family?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type LookupTimes = {
  /** How long (ms) an answer of the system is good for all who ask. */
  freshMs: number;
  /** How long (ms) known addresses are used while nobody answers for their name (RFC 8767, serve-stale). */
  staleMs: number;
  /** How long (ms) they are not used, because the answer may still come. */
  timeoutMs: number;
  /** How long (ms) a name waits for its lookup to begin; then it fails. */
  queuedMs: number;
};

const TIMES: LookupTimes = { freshMs: 5_000, staleMs: 3_600_000, timeoutMs: 1_000, queuedMs: 10_000 };
/** Beyond this many, the name that was asked for least recently is forgotten. */
const NAMES_AT_MOST = 20_000;
type Done = Parameters<NameLookup>[2];
type Answer = { error: NodeJS.ErrnoException | null; addresses: LookupAddress[]; atMs: number };
type Name = {
  /** The last answer. */
  answer: Answer | null;
  /** The last one with addresses; null once the name is known not to exist. */
  good: Answer | null;
  /** Those who wait for the lookup that is queued or in flight; null if there is none. */
  waiting: Set<Waiting> | null;
};
type Waiting = { done: Done; timer: NodeJS.Timeout | null };

/**
 * Looks names up as the system does, so that names for which nobody answers hold up no others: each name once at a time, `atOnce`
 * names in all, and the known addresses while no answer comes. A lookup without an answer holds a thread of Node for ten seconds
 * and more, and nothing can end it; half of the threads look names up, so others need what `atOnce` leaves of them. It calls
 * back with the errors of `dns.lookup`; with EAI_AGAIN also when too many other lookups hang.
 */
export function sharedLookup(
  atOnce: number,
  lookup: NameLookup = systemLookup,
  changed: Partial<LookupTimes> = {},
): NameLookup {
  const times = { ...TIMES, ...changed };
  const queue = lookupQueue(atOnce, times.queuedMs);
  const names = new Map<string, Name>();
  const nameOf = (key: string): Name => {
    const name = names.get(key) ?? { answer: null, good: null, waiting: null };
    names.delete(key);
    names.set(key, name);
    if (names.size > NAMES_AT_MOST) names.delete(names.keys().next().value as string);
    return name;
  };
  const isNewerThan = (answer: Answer | null, ageMs: number): answer is Answer =>
    answer !== null && performance.now() - answer.atMs < ageMs;
  const tell = ({ good, answer }: Name, done: Done): void => {
    const { error, addresses } = isNewerThan(good, times.staleMs) ? good : (answer ?? nobodyAnswers());
    done(error, addresses);
  };
  const wait = (name: Name, waiting: Set<Waiting>, done: Done): void => {
    const one: Waiting = { done, timer: null };
    waiting.add(one);
    if (!isNewerThan(name.good, times.staleMs)) return;
    one.timer = setTimeout(() => {
      waiting.delete(one);
      tell(name, done);
    }, times.timeoutMs).unref();
  };
  const answered = (name: Name, error: NodeJS.ErrnoException | null, addresses: LookupAddress[]): void => {
    name.answer = { error, addresses, atMs: performance.now() };
    if (error === null) name.good = name.answer;
    else if (error.code === 'ENOTFOUND') name.good = null;
    tellAll(name);
  };
  const tellAll = (name: Name): void => {
    const waiting = name.waiting ?? [];
    name.waiting = null;
    for (const { done, timer } of waiting) {
      if (timer !== null) clearTimeout(timer);
      tell(name, done);
    }
  };
  return (hostname, { family = 0 }, done) => {
    const name = nameOf(`${family} ${hostname}`);
    if (isNewerThan(name.answer, times.freshMs)) {
      process.nextTick(tell, name, done);
      return;
    }
    if (name.waiting !== null) return wait(name, name.waiting, done);
    name.waiting = new Set();
    wait(name, name.waiting, done);
    queue.add(kindOf(name), {
      begin: (release) =>
        lookup(hostname, { all: true, family }, (error, addresses) => {
          release();
          answered(name, error, error === null ? addresses : []);
        }),
      // Nothing is known of it: it does not count as a name that failed.
      giveUp: () => tellAll(name),
    });
  };
}

type Kind = 'known' | 'new' | 'failed';
type Lookup = { begin(release: () => void): void; giveUp(): void };

function kindOf({ answer }: Name): Kind {
  if (answer === null) return 'new';
  return answer.error === null ? 'known' : 'failed';
}

/**
 * Lets lookups begin: known names first, then new ones, which leave a third to those, and last those that failed, which leave two
 * thirds. Gives up those that waited too long.
 */
function lookupQueue(atOnce: number, queuedMs: number) {
  const [newAtOnce, failedAtOnce] = [Math.ceil((atOnce * 2) / 3), Math.ceil(atOnce / 3)];
  const running: Record<Kind, number> = { known: 0, new: 0, failed: 0 };
  const queues: Record<Kind, Map<Lookup, NodeJS.Timeout>> = { known: new Map(), new: new Map(), failed: new Map() };
  const mayBegin = (kind: Kind): boolean => {
    const { failed } = running;
    if (running.known + running.new + failed >= atOnce) return false;
    return kind === 'known' || (running.new + failed < newAtOnce && (kind === 'new' || failed < failedAtOnce));
  };
  const begin = (kind: Kind, lookup: Lookup): void => {
    running[kind] += 1;
    lookup.begin(() => {
      running[kind] -= 1;
      for (const queued of ['known', 'new', 'failed'] as const) beginQueued(queued);
    });
  };
  const beginQueued = (kind: Kind): void => {
    for (const [lookup, timer] of queues[kind]) {
      if (!mayBegin(kind)) return;
      queues[kind].delete(lookup);
      clearTimeout(timer);
      begin(kind, lookup);
    }
  };
  return {
    add: (kind: Kind, lookup: Lookup): void => {
      if (mayBegin(kind)) {
        begin(kind, lookup);
        return;
      }
      const timer = setTimeout(() => {
        queues[kind].delete(lookup);
        lookup.giveUp();
      }, queuedMs).unref();
      queues[kind].set(lookup, timer);
    },
  };
}

function nobodyAnswers(): Answer & { error: NodeJS.ErrnoException } {
  const error = Object.assign(new Error('lookups of too many other names get no answer'), { code: 'EAI_AGAIN' });
  return { error, addresses: [], atMs: 0 };
}
