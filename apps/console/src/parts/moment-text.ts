const TIME = String.raw`(\d{1,2}):(\d{2})(?::\d{2})?`;
/** The parts that people type, in their order; the time may be left out. */
const DATES = [
  { form: new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?:[T ]+${TIME})?$`), last: 3 },
  { form: new RegExp(String.raw`^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})?(?: +${TIME})?$`), last: 3 },
];
const TIME_OF_TODAY = new RegExp(`^${TIME}$`);

/**
 * The moment that a text means in the time zone of the browser: `2026-11-27 14:30`, `27.11.2026`, `27.11. 9:00`, or
 * `14:30` of today. Null for any other text, also for a day that the calendar does not have.
 */
export function readMomentText(text: string, now: Date): Date | null {
  const typed = text.trim();
  const ofToday = TIME_OF_TODAY.exec(typed);
  if (ofToday !== null) {
    return momentOf(now.getFullYear(), now.getMonth() + 1, now.getDate(), Number(ofToday[1]), Number(ofToday[2]));
  }
  for (const { form, last } of DATES) {
    const found = form.exec(typed);
    if (found === null) continue;
    const { year = now.getFullYear(), month, day } = found.groups ?? {};
    const [hour = 0, minute = 0] = found.slice(last + 1, last + 3);
    return momentOf(Number(year), Number(month), Number(day), Number(hour), Number(minute));
  }
  return null;
}

function momentOf(year: number, month: number, day: number, hour: number, minute: number): Date | null {
  const date = new Date(year, month - 1, day, hour, minute);
  const isReal = date.getMonth() === month - 1 && date.getDate() === day && hour < 24 && minute < 60;
  return isReal && year > 1970 ? date : null;
}

/** The same as `readMomentText` reads it. */
export function momentText(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
