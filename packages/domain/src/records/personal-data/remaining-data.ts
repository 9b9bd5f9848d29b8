import type { RemainingData } from '@flotilla/contract/people.ts';
import { PERSONAL_TABLES } from './personal-tables.ts';

/** Outside our tables. */
const ELSEWHERE: RemainingData[] = [
  {
    where: "the platform's own copy",
    why: 'Messages stay in the chats at Telegram: delete them there, or with /api/messages/delete before.',
  },
  {
    where: 'backups',
    why: 'A backup is not changed; it goes when it expires. After a restore, erase the person again.',
  },
  {
    where: 'what others wrote',
    why: 'Messages, names of files and texts of other people, of bots and of the team may name or quote the person.',
  },
  {
    where: 'updates that wait in Redis',
    why: 'They were promised to programs and backends. They go once these have them, or after a day; what a program does with them is its own.',
  },
  {
    where:
      'Redis: answers kept for Idempotency-Keys, beginnings of failed answers of backends, updates held in groups, counts of calls of the router',
    why: 'They go by themselves, after two days at most.',
  },
  { where: 'photos and names in the memory of processes', why: 'They go after six hours at most.' },
  {
    where: 'logs, traces, and what sinks and programs were sent',
    why: 'They left Flotilla: whoever keeps them must remove them.',
  },
];

/** The data that erasing a person leaves, and why. */
export function remainingData(): RemainingData[] {
  const tables = Object.entries(PERSONAL_TABLES).flatMap(([where, table]) =>
    'stays' in table ? [{ where: where.replaceAll('_', ' '), why: `${table.stays}.` }] : [],
  );
  return [...ELSEWHERE, ...tables];
}
