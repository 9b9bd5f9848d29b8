/** How the program of a bot gets updates: it polls, it has a backend, or there is none. */
export const WAYS = ['pull', 'push', 'none'] as const;
export type Way = (typeof WAYS)[number];

export function readAddedBot({ bot }: Record<string, unknown>): { bot?: string } {
  return typeof bot === 'string' && /^\d{1,15}$/.test(bot) ? { bot } : {};
}
