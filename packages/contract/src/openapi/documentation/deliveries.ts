import { listDeliveries, listDeliveryAttempts, redriveDeliveries } from '../../operations/deliveries.ts';
import { documentOperation } from '../document-operation.ts';

export const deliveriesDocumentation = [
  documentOperation(listDeliveries, {
    example: {
      input: { bot_id: 7, state: 'retrying' },
      output: [
        {
          bot_id: 7,
          update_id: 813,
          state: 'retrying',
          reader: 'push',
          attempts: 3,
          last_status: 502,
          last_error: 'The backend answered 502',
          next_attempt_at: '2026-01-02T10:16:10.000Z',
        },
      ],
    },
  }),
  documentOperation(listDeliveryAttempts, {
    example: {
      input: { bot_id: 7 },
      output: [
        {
          at: '2026-01-02T10:16:00.000Z',
          update_id: 813,
          status: 502,
          duration_ms: 120,
          error: 'The backend answered 502',
        },
      ],
    },
  }),
  documentOperation(redriveDeliveries, {
    example: { input: { bot_id: 7, ids: [31, 32] }, output: { ok: true, redriven: 2 } },
  }),
];
