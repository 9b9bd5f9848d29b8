import { upstreams as en } from '../../words/en/upstreams.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { upstreams as ru } from '../../words/ru/upstreams.ts';

export type UpstreamsWords = typeof en;

export function useUpstreamsWords(): UpstreamsWords {
  return useWordsOf({ en, ru });
}
