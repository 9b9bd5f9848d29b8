import { IDEMPOTENCY_KEY } from './describe-operation.ts';
import { INTERCEPTED, type Intercepted } from './intercepted-methods.ts';
import { type JsonSchema, type SchemaWriter, schemaName } from './json-schema.ts';

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

/** The paths of the proxy, and the request that forwarding sends. */
export function describeProxy(writer: SchemaWriter): { paths: Record<string, JsonSchema>; webhooks: JsonSchema } {
  writer.define('BotApiError', BOT_API_ERROR);
  writer.define('Update', UPDATE);
  return {
    paths: {
      ...Object.fromEntries(
        INTERCEPTED.map((method) => [`/tgapi/bot{token}/${method.method}`, { post: intercepted(method, writer) }]),
      ),
      '/tgapi/bot{token}/{method}': { post: passedOn(writer) },
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

function success(description: string, schema: JsonSchema): JsonSchema {
  return { description, content: { 'application/json': { schema } } };
}

function answer(writer: SchemaWriter, operation: string, result: JsonSchema): JsonSchema {
  return writer.define(`${schemaName(operation)}Answer`, {
    type: 'object',
    required: ['ok', 'result'],
    properties: {
      ok: { type: 'boolean', const: true, description: 'Always true.' },
      result: { ...result, description: 'What the Bot API answers.' },
      description: { type: 'string', description: 'A sentence about it, with some answers.' },
    },
  });
}

function intercepted({ method, summary, description, fields, result }: Intercepted, writer: SchemaWriter): JsonSchema {
  const operationId = `proxied${schemaName(method)}`;
  const takesNone = Object.keys(fields).length === 0;
  const schema = takesNone
    ? {}
    : writer.define(`${schemaName(operationId)}Input`, { type: 'object', properties: fields });
  const forms = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  return {
    operationId,
    tags: [PROXY_CHAPTER.name],
    summary,
    description: `${description}\n\nGET does the same. The case of the method name does not matter. Parameters may be in the query string.`,
    security: [],
    parameters: [TOKEN],
    ...(takesNone ? {} : { requestBody: { content: Object.fromEntries(forms.map((form) => [form, { schema }])) } }),
    responses: { '200': success('Done.', answer(writer, operationId, result)), ...FAILURE },
  };
}

const passedOn = (writer: SchemaWriter): JsonSchema => ({
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
  responses: { '200': success("The platform's answer.", answer(writer, 'callBotApi', {})), ...FAILURE },
});

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
