/** Whose calls are counted; `scope` is a caller of the bot. */
export type CallerOfBot = { botId: number; scope: string };
/** The same for what is not of a bot: who has the share, and which of its callers this is. */
export type CallerOfOwner = { owner: string; scope: string };
type Counted = CallerOfBot | CallerOfOwner;

type Limits = { inAll: number; ofBot: number };

/** A bot gets half as many as are left in all, a caller three times as many as are left of its bot. */
const SHARE_OF_BOT = 1 / 2;
const SHARE_OF_CALLER = 3;

/** Counts calls of bots and of their callers, or bytes of these, so that none of them takes the room of all others. */
export function callCounts(most: Limits) {
  const counts = new Map<string, number>();
  const countOf = (name: string) => counts.get(name) ?? 0;
  const bot = (of: Counted) => ('botId' in of ? `${of.botId}` : of.owner);
  const caller = (of: Counted) => `${bot(of)} ${of.scope}`;
  const add = (name: string, calls: number) => {
    const count = countOf(name) + calls;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  };
  let inAll = 0;
  return {
    hasRoom: (of: Counted, calls = 1): boolean => {
      const ofBot = countOf(bot(of));
      return (
        ofBot + calls <= Math.min(most.ofBot, SHARE_OF_BOT * (most.inAll - inAll)) &&
        countOf(caller(of)) + calls <= SHARE_OF_CALLER * (most.ofBot - ofBot)
      );
    },
    add: (of: Counted, calls: number): void => {
      inAll += calls;
      add(bot(of), calls);
      add(caller(of), calls);
    },
  };
}
