import { type Operation, takesVersion } from '@flotilla/contract/operation.ts';
import { chapterOf } from './chapters.ts';
import { type Components, describeResponses } from './describe-responses.ts';
import { type JsonSchema, type SchemaWriter, schemaName } from './json-schema.ts';

/** The document's entry of one operation; its shared parts go into the components. */
export function describeOperation(name: string, operation: Operation, components: Components): JsonSchema {
  return {
    operationId: name,
    tags: [chapterOf(operation)],
    summary: operation.summary,
    description: descriptionOf(operation),
    'x-role': operation.role,
    security: operation.role === 'public' ? [] : [{ bearer: [] }, { session: [] }],
    ...describeInputs(name, operation, components.writer),
    responses: describeResponses(name, operation, components),
  };
}

const WHO = {
  public: 'Needs no credential.',
  any: 'For the roles admin and user.',
  admin: '**Admin only.**',
} as const;

function descriptionOf(operation: Operation): string {
  const { role, right, wholeFleet, lasting, fleetWithout, botInputs = [], paths, audit = [], description } = operation;
  const [, ...others] = paths;
  const bots = wholeFleet === true ? ' A key that is limited to some bots may not call it.' : '';
  const ends = lasting === true ? ' A key that expires may not call it either.' : '';
  const fleet = fleetWithout === undefined ? '' : ` Without \`${fleetWithout}\` it is for admins who see all bots.`;
  const needs = right === undefined ? '' : ` A user also needs the right \`${right}\`.`;
  const sentences = [
    ...(description === undefined ? [] : [description]),
    role === 'any' && botInputs.length > 0
      ? `${WHO.any} The caller must see the bot.${needs}${fleet}`
      : `${WHO[role]}${needs}${bots}${ends}`,
    ...(audit.length === 0 ? [] : [`Writes an audit entry: ${audit.map((action) => `\`${action}\``).join(' or ')}.`]),
    ...(others.length === 0 ? [] : [`Also at ${others.map((path) => `\`${path}\``).join(', ')}.`]),
  ];
  return sentences.join('\n\n');
}

/** The header of operations that send something. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A word of your own for this call, 1 to 255 visible ASCII characters; the best is a UUID. Repeat the call with it after a lost answer: it is carried out once, and its first answer comes again for 24 hours. The same word with other inputs is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
} as const;

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the answer that the change is made from. If callers have changed the resource since, the answer is 412 and nothing is changed.',
  schema: { type: 'string' },
} as const;

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an answer. If the same would come again, the answer is 304 without a body.',
  schema: { type: 'string' },
} as const;

const KEY_OF = {
  once: IDEMPOTENCY_KEY,
  stored: IDEMPOTENCY_KEY,
  input: { ...IDEMPOTENCY_KEY, description: 'Another way to give `idempotency_key`, which goes before it.' },
};

interface Inputs {
  parameters?: JsonSchema[];
  requestBody?: JsonSchema;
}

type Properties = Record<string, JsonSchema>;

/** A GET has parameters. A POST has a body of two kinds, and each of its fields may be a parameter instead. */
function describeInputs(name: string, operation: Operation, writer: SchemaWriter): Inputs {
  const schema = writer.write(operation.input, 'input');
  const required = (schema.required ?? []) as string[];
  const properties = namedProperties(operation, schema.properties as Properties);
  if (operation.method === 'GET') {
    const examples: Record<string, unknown> = operation.example.input;
    const parameters = Object.entries(properties).map(([field, property]) => ({
      ...parameter(field, property),
      required: required.includes(field),
      ...(field in examples ? { example: examples[field] } : {}),
    }));
    const all = operation.versioned === undefined ? parameters : [...parameters, IF_NONE_MATCH];
    return all.length === 0 ? {} : { parameters: all };
  }
  if (Object.keys(properties).length === 0) return {};
  const inQuery = Object.entries(properties).map(([field, property]) => parameter(field, property));
  return {
    parameters: [
      ...inQuery,
      ...(operation.keyed === undefined ? [] : [KEY_OF[operation.keyed]]),
      ...(takesVersion(operation) ? [IF_MATCH] : []),
    ],
    requestBody: body(name, operation, writer, { required, properties }),
  };
}

/** The inputs, each with a description, and their other names. */
function namedProperties({ input, aliases = {} }: Operation, written: Properties): Properties {
  const properties: Properties = {};
  for (const name of Object.keys(input.shape)) {
    const { description, ...schema } = written[name] ?? {};
    properties[name] = { ...(description === undefined ? {} : { description }), ...schema };
  }
  for (const [alias, name] of Object.entries(aliases)) {
    properties[alias] = { ...properties[name], description: `Another name of \`${name}\`.` };
  }
  return properties;
}

function parameter(name: string, schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  return { name, in: 'query', ...(description === undefined ? {} : { description }), schema: rest, ...listStyle(rest) };
}

function body(
  name: string,
  operation: Operation,
  writer: SchemaWriter,
  { required, properties }: { required: string[]; properties: Properties },
): JsonSchema {
  const schema = writer.define(`${schemaName(name)}Input`, {
    type: 'object',
    properties: { ...properties, ...ignoredProperties(operation) },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
  const example = operation.example.input;
  const lists = Object.entries(properties).flatMap(([field, property]) => {
    const style = listStyle(property);
    return Object.keys(style).length === 0 ? [] : [[field, style]];
  });
  const encoding = lists.length === 0 ? {} : { encoding: Object.fromEntries(lists) };
  return {
    description: 'Any field may be in the query string instead. If it is in both, the body counts.',
    content: {
      'application/json': { schema, example },
      'application/x-www-form-urlencoded': { schema, example, ...encoding },
      ...multipartBody(name, operation, writer, { required, properties }),
    },
  };
}

/** The same fields, and after them a file. */
function multipartBody(
  name: string,
  { file }: Operation,
  writer: SchemaWriter,
  { required, properties }: { required: string[]; properties: Properties },
): JsonSchema {
  if (file === undefined) return {};
  const schema = writer.define(`${schemaName(name)}Form`, {
    type: 'object',
    properties: { ...properties, file: { description: file.description, type: 'string', format: 'binary' } },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
  return { 'multipart/form-data': { schema } };
}

/** Fields that are accepted and ignored, so that a listed resource can be posted back, are read-only in OpenAPI. */
function ignoredProperties({ readOnlyFields = [] }: Operation): Properties {
  return Object.fromEntries(readOnlyFields.map((name) => [name, { readOnly: true, description: 'Ignored.' }]));
}

/** Lists are comma-separated in forms and query strings. */
function listStyle(schema: JsonSchema): JsonSchema {
  const kinds = (schema.anyOf ?? [schema]) as JsonSchema[];
  return kinds.some(({ type }) => type === 'array') ? { style: 'form', explode: false } : {};
}
