/** The update that an attempt was of is a part of its id. */
export function updateOfAttempt(id: string): string | undefined {
  return /(?:^|[-.])(\d+)-\d{13}-\d+$/.exec(id)?.[1];
}

/** An id of an attempt in an address. */
export function readAttempt(id: unknown): string | undefined {
  return typeof id === 'string' && id.length < 100 && updateOfAttempt(id) !== undefined ? id : undefined;
}

/** The name of an attempt in an address: its id, over all bots behind that of its bot. */
export function addressOf({ bot_id, id }: { bot_id: number; id: string }, ofBot: number | undefined): string {
  return ofBot === undefined ? `${bot_id}.${id}` : id;
}

/** The bot and the id that an address names. */
export function openedOf(address: string, ofBot: number | undefined): { botId: number; id: string } {
  if (ofBot !== undefined) return { botId: ofBot, id: address };
  const [bot = '', ...id] = address.split('.');
  return { botId: Number(bot), id: id.join('.') };
}
