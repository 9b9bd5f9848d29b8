/** The periods of a bot in days; activity reaches back 90. */
export const PERIODS_OF_BOT = ['7', '30', '90'] as const;
/** Those of a chat, whose days are counted one by one. */
export const PERIODS_OF_CHAT = ['7', '14', '30'] as const;

export type PeriodAddress = { days?: string };

export function readPeriod(periods: readonly string[]): (search: Record<string, unknown>) => PeriodAddress {
  return ({ days }) => {
    const known = periods.find((one) => one === days);
    return known === undefined ? {} : { days: known };
  };
}

/** The local midnight that begins the period; today is its last day. */
export function startOf(days: number, nowMs: number): Date {
  const start = new Date(nowMs);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - days + 1);
  return start;
}
