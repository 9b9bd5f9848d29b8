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
          reason_code: 'refused',
          last_error: 'Wrong response from the webhook: 502 Bad Gateway',
          first_failed_at: '2026-01-02T10:16:04.000Z',
          last_failed_at: '2026-01-02T10:16:06.000Z',
          next_attempt_at: '2026-01-02T10:16:10.000Z',
          expires_at: '2026-01-03T10:16:04.000Z',
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
          error: 'Wrong response from the webhook: 502 Bad Gateway',
        },
      ],
    },
  }),
  documentOperation(redriveDeliveries, {
    example: { input: { bot_id: 7, ids: [31, 32] }, output: { ok: true, redriven: 2 } },
  }),
];
