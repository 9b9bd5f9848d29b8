import { deliveries as en } from '../../words/en/deliveries.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { deliveries as ru } from '../../words/ru/deliveries.ts';

export function useDeliveriesWords(): typeof en {
  return useWordsOf({ en, ru });
}
