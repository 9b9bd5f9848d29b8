import type { JsonSchema } from './json-schema.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

const flag = (description: string): JsonSchema => ({ type: 'boolean', description });

const integer = (minimum: number, maximum: number, description: string): JsonSchema => ({
  ...{ type: 'integer', minimum, maximum, description },
});

const KINDS: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description:
    'The kinds of updates that the backend and the default consumer get from now on. Empty: the default set. A name that Flotilla does not know is kept, because the platform may know it.',
};

/** A method that we answer ourselves. */
export interface Intercepted {
  method: string;
  summary: string;
  description: string;
  fields: Record<string, JsonSchema>;
  result: JsonSchema;
}

const DONE: JsonSchema = { type: 'boolean', const: true };

export const INTERCEPTED: readonly Intercepted[] = [
  {
    method: 'getUpdates',
    summary: 'Polls for the updates of the bot, on any replica.',
    description:
      'If long polling is on for the bot, Flotilla answers as the platform would. But several clients may poll at the same ' +
      'time, and none gets 409. If it is off, the call waits for `timeout` and answers with an empty list. A call with a ' +
      'token that is not registered is passed on.',
    fields: {
      offset: integer(
        -(2 ** 31),
        2 ** 31 - 1,
        'The last `update_id` that was handled, plus one. It acknowledges all updates below it. Negative: counted from the end.',
      ),
      limit: integer(1, 100, 'The largest number of updates. A value out of range is moved into the range.'),
      timeout: integer(0, 50, 'Seconds to wait for the first update.'),
      allowed_updates: KINDS,
    },
    result: { type: 'array', items: { $ref: '#/components/schemas/Update' } },
  },
  {
    method: 'setWebhook',
    summary: 'Sets the `backend_url` of the bot and turns forwarding on.',
    description:
      'The URL may be http or https, on any port. A malformed URL or an address that is not allowed is refused, and the ' +
      'bot keeps its backend. Without a URL the call does what deleteWebhook does. A bot may call it once a second. For ' +
      'an unknown token, Flotilla registers the bot if `AUTO_REGISTER_BOTS` is on, else it answers 401.',
    fields: {
      url: text('The URL to which updates are sent by POST.'),
      secret_token: text(
        'Sent with every update as `X-Telegram-Bot-Api-Secret-Token`. At most 256 of `A-Z a-z 0-9 _ -`.',
      ),
      max_connections: integer(1, 100, 'How many updates are sent at the same time. Absent: 40.'),
      allowed_updates: KINDS,
      drop_pending_updates: flag('True: drops the updates that wait.'),
      certificate: text(
        'A certificate to trust for this backend: PEM, uploaded as a file. The host may be in its common name only.',
      ),
      ip_address: text('The address to send to, instead of those of the name in the URL. It must be allowed, too.'),
    },
    result: DONE,
  },
  {
    method: 'deleteWebhook',
    summary: 'Removes the backend of the bot and turns forwarding off.',
    description: 'Updates that wait stay for getUpdates. A call with a token that is not registered is passed on.',
    fields: { drop_pending_updates: flag('True: drops the updates that wait.') },
    result: DONE,
  },
  {
    method: 'getWebhookInfo',
    summary: 'Shows the backend of the bot.',
    description:
      'The platform itself knows only the webhook of Flotilla, or none. A call with a token that is not registered is passed on.',
    fields: {},
    result: {
      type: 'object',
      required: ['url', 'has_custom_certificate', 'pending_update_count'],
      properties: {
        url: text('The URL, byte for byte as it was set. Empty if there is no backend.'),
        has_custom_certificate: flag('True if a certificate was given.'),
        ip_address: text('The address that was given. Absent if there is none.'),
        pending_update_count: { type: 'integer', description: 'The number of updates that wait for the backend.' },
        last_error_date: { type: 'integer', description: 'The time of the last failure, in Unix seconds.' },
        last_error_message: text('What went wrong.'),
        backend_state: { type: 'string', enum: ['failing', 'open'], description: 'Absent while the backend works.' },
        max_connections: { type: 'integer', description: 'The number that was set.' },
        allowed_updates: {
          type: 'array',
          items: { type: 'string' },
          description: 'The kinds that were set. Absent: the default set.',
        },
      },
    },
  },
  ...['logOut', 'close'].map((method) => ({
    method,
    summary: 'Answers true and changes nothing.',
    description:
      'The call is never passed on, whatever the token is: a bot must not leave the server that Flotilla uses for it.',
    fields: {},
    result: DONE,
  })),
];
