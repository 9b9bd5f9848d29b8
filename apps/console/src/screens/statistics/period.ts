/** The periods in days; activity reaches back 90. */
export const PERIODS = ['7', '30', '90'] as const;
export type Period = (typeof PERIODS)[number];

/** What the address says. */
export type PeriodAddress = { days?: Period };

export function readPeriod({ days }: Record<string, unknown>): PeriodAddress {
  const known = PERIODS.find((one) => one === days);
  return known === undefined ? {} : { days: known };
}

/** The local midnight that begins the period; today is its last day. */
export function startOf(days: number, nowMs: number): Date {
  const start = new Date(nowMs);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - days + 1);
  return start;
}
