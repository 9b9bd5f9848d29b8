import type { JsonSchema, SchemaWriter } from './json-schema.ts';

/** The chapter of the document that stands beside REST: what programs of bots use. */
export const PROXY_CHAPTER = {
  name: 'Bot API proxy',
  description:
    'The Bot API itself, with the token as the only credential: a bot moves in by changing the API root of its library. ' +
    'Six methods are answered here; everything else goes to the platform and comes back byte for byte, and what a ' +
    'registered bot sends, edits, deletes and moderates is kept in the history. `/tgapi` is the setting `PROXY_PREFIX`; ' +
    'without it, `/bot<token>/…` and `/file/bot<token>/…` answer, too. Every answer carries ' +
    "`Content-Security-Policy: sandbox; default-src 'none'` and `X-Content-Type-Options: nosniff`, and sets no cookie. " +
    'With `PROXY_HOST` the proxy answers on that host only. Errors of our own look like those of the platform.',
};

type Parameter = { name: string; in: 'path' | 'query'; required?: boolean; description: string; schema: JsonSchema };

const TOKEN: Parameter = {
  name: 'token',
  in: 'path',
  required: true,
  description: "The bot's token.",
  schema: { type: 'string' },
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
  description: 'Which kinds the backend and the default consumer get from now on; empty: the default set.',
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
    summary: "The bot's updates, by long polling, from any replica.",
    description:
      'Where long polling is on, the buffer answers as the platform would, but several programs may poll at once and none ' +
      'gets 409. Any other registered bot waits for `timeout` and gets an empty list. A token that is not registered is ' +
      'passed on.',
    fields: {
      offset: integer(
        -(2 ** 31),
        2 ** 31 - 1,
        'One more than the last update that was handled: those below are acknowledged. Negative: the last so many.',
      ),
      limit: integer(1, 100, 'At most so many; out of range it is brought into it.'),
      timeout: integer(0, 50, 'Seconds to wait for the first update.'),
      allowed_updates: KINDS,
    },
    result: { type: 'array', items: { $ref: '#/components/schemas/Update' } },
  },
  {
    method: 'setWebhook',
    summary: "Makes a URL the bot's `backend_url` and turns forwarding on.",
    description:
      'http and https on any port; a forbidden address or a malformed URL is refused and leaves the backend that works in ' +
      'place. Without a URL it is deleteWebhook. Once a second for a bot. An unknown token is registered where ' +
      '`AUTO_REGISTER_BOTS` is on, else 401.',
    fields: {
      url: text('Where updates are sent by POST.'),
      secret_token: text('Sent along as `X-Telegram-Bot-Api-Secret-Token`: at most 256 of `A-Z a-z 0-9 _ -`.'),
      max_connections: integer(1, 100, 'How many updates are on their way at once; 40 when absent.'),
      allowed_updates: KINDS,
      drop_pending_updates: flag('Forgets what waits.'),
      certificate: text('A certificate to trust for this backend, PEM, uploaded as a file.'),
    },
    result: DONE,
  },
  {
    method: 'deleteWebhook',
    summary: 'Takes the backend away and turns forwarding off.',
    description: 'What waits stays for getUpdates. A token that is not registered is passed on.',
    fields: { drop_pending_updates: flag('Forgets what waits.') },
    result: DONE,
  },
  {
    method: 'getWebhookInfo',
    summary: 'The backend as we know it.',
    description: 'The platform itself knows our webhook, or none. A token that is not registered is passed on.',
    fields: {},
    result: {
      type: 'object',
      required: ['url', 'has_custom_certificate', 'pending_update_count'],
      properties: {
        url: text('Byte for byte as it was set; empty without a backend.'),
        has_custom_certificate: flag('Whether a certificate was given.'),
        pending_update_count: { type: 'integer', description: 'Updates that wait for the backend.' },
        last_error_date: { type: 'integer', description: 'Unix seconds of the last failure.' },
        last_error_message: text('What failed.'),
        backend_state: { type: 'string', enum: ['failing', 'open'], description: 'Absent while the backend is well.' },
        max_connections: { type: 'integer', description: 'As it was set.' },
        allowed_updates: { type: 'array', items: { type: 'string' }, description: 'Absent for the default set.' },
      },
    },
  },
  ...['logOut', 'close'].map((method) => ({
    method,
    summary: 'Answered here and never sent on, whatever the token.',
    description: 'A bot must not leave the server that we speak for it to.',
    fields: {},
    result: DONE,
  })),
];

/** The proxy's paths, and what forwarding sends. */
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
  description: 'An error as the Bot API has them; the HTTP status is `error_code`.',
  required: ['ok', 'error_code', 'description'],
  properties: {
    ok: { type: 'boolean', const: false, description: 'Always false.' },
    error_code: { type: 'integer', description: 'The HTTP status.' },
    description: {
      type: 'string',
      description: 'What went wrong, in the words of the platform where they are its own.',
    },
    parameters: {
      type: 'object',
      description: 'What a program can do about it.',
      properties: {
        retry_after: { type: 'integer', description: 'Seconds after which to try again.' },
        migrate_to_chat_id: { type: 'integer', format: 'int64', description: 'The new id of the chat.' },
      },
    },
  },
};

const UPDATE: JsonSchema = {
  type: 'object',
  description:
    "An Update of the Bot API, with the platform's own bytes: `update_id` and one field that names its kind.",
  required: ['update_id'],
  properties: { update_id: { type: 'integer', description: "The update's id, as its readers get it." } },
  additionalProperties: true,
};

const FAILURES = {
  '4XX': failure('Refused: by us before the platform was asked, or by the platform.'),
  '5XX': failure('502, 504: the platform could not be reached or was late. 503: not now; `Retry-After` says when.'),
};

function failure(description: string): JsonSchema {
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/BotApiError' } } } };
}

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
    description: `${description}\n\nGET does the same, in any case of the letters; parameters may be in the query string.`,
    security: [],
    parameters: [TOKEN],
    ...(Object.keys(fields).length === 0
      ? {}
      : { requestBody: { content: Object.fromEntries(forms.map((form) => [form, { schema }])) } }),
    responses: { '200': success('Done.', result), ...FAILURES },
  };
}

const PASSED_ON: JsonSchema = {
  operationId: 'callBotApi',
  tags: [PROXY_CHAPTER.name],
  summary: 'Any other method of the Bot API, passed on.',
  description:
    'Query string, body, status and headers go through as they are (but for hop-by-hop headers, our own session cookie and ' +
    'API keys), streamed both ways; a call is never sent twice. What the platform answers is in the history: messages, ' +
    'edits and deletions, and bans, pins, promotions and the like as audit entries. A disabled bot gets 403. A token that ' +
    'is not registered is passed on without a record, or refused with 401 where `PROXY_UNKNOWN_BOTS=reject`.',
  security: [],
  parameters: [TOKEN, inPath('method', 'A method of the Bot API, in any case of its letters.')],
  requestBody: {
    description: 'What the method takes, up to what the platform takes.',
    content: {
      'application/json': { schema: { type: 'object' } },
      'multipart/form-data': { schema: { type: 'object' } },
    },
  },
  responses: { '200': success("The platform's answer.", {}), ...FAILURES },
};

const FILE: JsonSchema = {
  operationId: 'downloadBotApiFile',
  tags: [PROXY_CHAPTER.name],
  summary: 'A file at the `file_path` that getFile gave.',
  description: "The platform's bytes, with its status, type, length and ranges, streamed.",
  security: [],
  parameters: [TOKEN, inPath('path', 'As `file_path` says; slashes may be encoded.')],
  responses: {
    '200': {
      description: 'The file.',
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
    ...FAILURES,
  },
};

const header = (description: string) => ({ description, schema: { type: 'string' } });

const FORWARDED: JsonSchema = {
  operationId: 'forwardUpdate',
  tags: [PROXY_CHAPTER.name],
  summary: "What a bot's backend gets: one update a request.",
  description:
    'POST to the `backend_url`, with `Content-Type: application/json` exactly. Any 2xx is taken for delivered; everything ' +
    'else, a redirect too, is tried again on the schedule of the chapter Deliveries. Updates of one chat come one at a ' +
    'time and in order, those of several chats side by side. An answer with a `method` is carried out as a call of that ' +
    'bot, except `get*`, setWebhook, deleteWebhook, logOut and close.',
  security: [],
  parameters: [
    { name: 'X-Telegram-Bot-Api-Secret-Token', in: 'header', ...header('The `secret_token`, where there is one.') },
    {
      name: 'Flotilla-Delivery-Id',
      in: 'header',
      ...header('`<bot id>-<update id>`: the same for all tries of one update, so that it can be told from another.'),
    },
    { name: 'traceparent', in: 'header', ...header('W3C Trace Context, where tracing is on.') },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Update' } } },
  },
  responses: {
    '2XX': { description: 'Delivered. A JSON body with `method` is carried out.' },
    '4XX': {
      description: 'Tried again; `Retry-After` in seconds replaces the delay. 410 for 23 hours removes the backend.',
    },
  },
};
