import { IDEMPOTENCY_KEY } from './describe-operation.ts';
import type { JsonSchema, SchemaWriter } from './json-schema.ts';

/** The chapter for clients that use a token of the Bot API; the other chapters describe REST. */
export const PROXY_CHAPTER = {
  name: 'Bot API proxy',
  description:
    'The Bot API itself. The token is the only credential. To move a bot in, change the API root of its library.\n\n' +
    'Flotilla answers six methods itself. Every other call goes to the platform, and the answer comes back byte for byte. ' +
    'The history keeps what a registered bot sends, edits, deletes and moderates. Errors of Flotilla have the form of ' +
    'errors of the platform.\n\n`/tgapi` is the setting `PROXY_PREFIX`. The paths `/bot<token>/…` and ' +
    '`/file/bot<token>/…` without it work, too. With the setting `PROXY_HOST` the proxy answers on that host only. Every ' +
    "answer has `Content-Security-Policy: sandbox; default-src 'none'` and `X-Content-Type-Options: nosniff`, and sets no " +
    'cookie.',
};

type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: JsonSchema;
};

const TOKEN: Parameter = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'The token of the bot.',
  schema: { type: 'string' },
};
const KEY: Parameter = {
  ...IDEMPOTENCY_KEY,
  description:
    'A word of your own for this call of a registered bot. Repeated, it is carried out once and answered as the first time, with `Idempotency-Replayed: true`, for 24 hours. With other parameters it is a 400. 409: nobody knows if the first one was carried out, or its answer is not kept.',
};
const inPath = (name: string, description: string): Parameter => ({ ...TOKEN, name, description });

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
interface Intercepted {
  method: string;
  summary: string;
  description: string;
  fields: Record<string, JsonSchema>;
  result: JsonSchema;
}

const DONE: JsonSchema = { type: 'boolean', const: true };

const INTERCEPTED: readonly Intercepted[] = [
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

/** The paths of the proxy, and the request that forwarding sends. */
export function describeProxy(writer: SchemaWriter): { paths: Record<string, JsonSchema>; webhooks: JsonSchema } {
  writer.define('BotApiError', BOT_API_ERROR);
  writer.define('Update', UPDATE);
  return {
    paths: {
      ...Object.fromEntries(
        INTERCEPTED.map((method) => [`/tgapi/bot{token}/${method.method}`, { post: intercepted(method) }]),
      ),
      '/tgapi/bot{token}/{method}': { post: PASSED_ON },
      '/tgapi/file/bot{token}/{path}': { get: FILE },
    },
    webhooks: { update: { post: FORWARDED } },
  };
}

const BOT_API_ERROR: JsonSchema = {
  type: 'object',
  description: 'An error in the form of the Bot API. The HTTP status is `error_code`.',
  required: ['ok', 'error_code', 'description'],
  properties: {
    ok: { type: 'boolean', const: false, description: 'Always false.' },
    error_code: { type: 'integer', description: 'The HTTP status.' },
    description: {
      type: 'string',
      description: 'What went wrong. For an error of the platform, in its own words.',
    },
    parameters: {
      type: 'object',
      description: 'What a program can do about the error.',
      properties: {
        retry_after: { type: 'integer', description: 'Seconds after which to try again.' },
        migrate_to_chat_id: { type: 'integer', format: 'int64', description: 'The new id of the chat.' },
      },
    },
  },
};

const UPDATE: JsonSchema = {
  type: 'object',
  description: "An Update of the Bot API, in the platform's own bytes: `update_id`, and one field that names its kind.",
  required: ['update_id'],
  properties: {
    update_id: {
      type: 'integer',
      description: 'The id under which Flotilla delivers the update. It can differ from the id at the platform.',
    },
  },
  additionalProperties: true,
};

/** Generators of clients read `default`; of ranges such as `4XX` some make code that does not compile. */
const FAILURE = {
  default: {
    description:
      '4xx: Flotilla refused the call before it asked the platform, or the platform refused it. 502, 504: the platform ' +
      'could not be reached, or was late. 503: not possible now; `Retry-After` says when to try again.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/BotApiError' } } },
  },
};

function success(description: string, result: JsonSchema): JsonSchema {
  const schema = {
    type: 'object',
    required: ['ok', 'result'],
    properties: { ok: { type: 'boolean', const: true }, result, description: { type: 'string' } },
  };
  return { description, content: { 'application/json': { schema } } };
}

function intercepted({ method, summary, description, fields, result }: Intercepted): JsonSchema {
  const schema = { type: 'object', properties: fields };
  const forms = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  return {
    operationId: `proxied${method[0]?.toUpperCase()}${method.slice(1)}`,
    tags: [PROXY_CHAPTER.name],
    summary,
    description: `${description}\n\nGET does the same. The case of the method name does not matter. Parameters may be in the query string.`,
    security: [],
    parameters: [TOKEN],
    ...(Object.keys(fields).length === 0
      ? {}
      : { requestBody: { content: Object.fromEntries(forms.map((form) => [form, { schema }])) } }),
    responses: { '200': success('Done.', result), ...FAILURE },
  };
}

const PASSED_ON: JsonSchema = {
  operationId: 'callBotApi',
  tags: [PROXY_CHAPTER.name],
  summary: 'Passes any other method of the Bot API on to the platform.',
  description:
    'Query string, body, status and headers go through unchanged, except for hop-by-hop headers, the session cookie and ' +
    'API keys of Flotilla, and headers of an answer that would concern the whole host, such as cookies and HSTS. Both directions are streamed. A call is never sent twice.\n\nThe history keeps what the ' +
    'platform answers: messages, edits and deletions. Bans, pins, promotions and the like become audit entries.\n\n' +
    'A disabled bot gets 403. A call with a token that is not registered is passed on without a record, or refused with ' +
    '401 if `PROXY_UNKNOWN_BOTS=reject`.',
  security: [],
  parameters: [TOKEN, inPath('method', 'A method of the Bot API. Case does not matter.'), KEY],
  requestBody: {
    description: 'The parameters of the method. Their size is limited by the platform only.',
    content: {
      'application/json': { schema: { type: 'object' } },
      'multipart/form-data': { schema: { type: 'object' } },
    },
  },
  responses: { '200': success("The platform's answer.", {}), ...FAILURE },
};

const FILE: JsonSchema = {
  operationId: 'downloadBotApiFile',
  tags: [PROXY_CHAPTER.name],
  summary: 'Downloads the file at a `file_path` that getFile gave.',
  description: "The platform's own bytes, streamed, with its status, type, length and ranges.",
  security: [],
  parameters: [TOKEN, inPath('path', 'The `file_path`. Its slashes may be encoded.')],
  responses: {
    '200': {
      description: 'The file.',
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
    ...FAILURE,
  },
};

const header = (description: string) => ({ description, schema: { type: 'string' } });

const FORWARDED: JsonSchema = {
  operationId: 'forwardUpdate',
  tags: [PROXY_CHAPTER.name],
  summary: 'Flotilla sends an update to the backend of a bot: one update per request.',
  description:
    'A POST to the `backend_url`, with exactly `Content-Type: application/json`. Any 2xx means delivered. After any other ' +
    'answer, also a redirect, the update is sent again on the schedule of the chapter Deliveries.\n\nUpdates of one chat ' +
    'come one at a time and in order. Updates of several chats come in parallel. Button presses, queries, reactions and ' +
    'changes of members are in an order of their own, as at the platform.\n\nIf the answer has a `method`, Flotilla ' +
    'makes that call as the bot. It does not make calls of `get*`, setWebhook, deleteWebhook, logOut and close. The ' +
    'answer may have 128 KiB, or 10 MiB as `multipart/form-data`, with files.',
  security: [],
  parameters: [
    { name: 'X-Telegram-Bot-Api-Secret-Token', in: 'header', ...header('The `secret_token`, if there is one.') },
    {
      name: 'Flotilla-Delivery-Id',
      in: 'header',
      ...header(
        '`<bot id>-<update id>`: the same in all attempts for one update. Use it to recognise a repeated delivery.',
      ),
    },
    { name: 'traceparent', in: 'header', ...header('W3C Trace Context, if tracing is on.') },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Update' } } },
  },
  responses: {
    '200': {
      description: 'Delivered, as by any other 2xx. If the JSON body has a `method`, Flotilla makes that call.',
    },
    default: {
      description:
        'The update is sent again. `Retry-After`, in seconds, replaces the delay. If every answer is 410 for 23 hours, Flotilla removes the backend.',
    },
  },
};
