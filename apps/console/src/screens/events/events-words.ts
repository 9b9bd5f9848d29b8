import { events as en } from '../../words/en/events.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { events as ru } from '../../words/ru/events.ts';

export function useEventsWords(): typeof en {
  return useWordsOf({ en, ru });
}
