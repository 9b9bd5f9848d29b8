import { pollUpdates } from '../../operations/updates.ts';
import { documentOperation } from '../document-operation.ts';

export const updatesDocumentation = [
  documentOperation(pollUpdates, {
    description:
      'Polling must be on for the bot (`long_poll_enabled`). It blocks until an update is there or `timeout` passes; then `result` is empty. Any number of clients may poll at once, on any replica: each of those that wait gets a new update. `offset` acknowledges for everyone on the same consumer. A named `consumer`, of which a bot has at most 16, has a place of its own: it begins at the oldest update kept and is forgotten after 24 hours without a poll. `allowed_updates` filters this answer: `limit` counts what passes, other updates end no wait, and they are acknowledged by an `offset` above them as any other. A named consumer may ask for any kind, the default one for those that the bot is set to receive. An update is as the platform sent it.',
    example: {
      input: { bot_id: 7, offset: 0, timeout: 30 },
      output: {
        ok: true,
        result: [
          {
            update_id: 813,
            message: {
              message_id: 501,
              from: { id: 424242, is_bot: false, first_name: 'Ada' },
              chat: { id: 424242, type: 'private', first_name: 'Ada' },
              date: 1767348900,
              text: 'Where is my order?',
            },
          },
        ],
      },
    },
  }),
];
