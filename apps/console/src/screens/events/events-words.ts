import { events as en } from '../../words/en/events.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { events as ru } from '../../words/ru/events.ts';

export type EventsWords = typeof en;

export function useEventsWords(): EventsWords {
  return useWordsOf({ en, ru });
}
