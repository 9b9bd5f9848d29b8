import type { Operation } from '../operation.ts';
import { FIELD_NOTES } from './field-notes.ts';
import type { JsonSchema, SchemaWriter } from './json-schema.ts';

interface Inputs {
  parameters?: JsonSchema[];
  requestBody?: JsonSchema;
}

const ONE_BOT_WILL_DO = `${FIELD_NOTES.bot_id} It may be left out where exactly one bot that the caller sees tracks the chat.`;

type Properties = Record<string, JsonSchema>;

/** A GET has parameters. A POST has a body of two kinds, and each of its fields may be a parameter instead. */
export function describeInputs(operation: Operation, writer: SchemaWriter, example: object | undefined): Inputs {
  const schema = writer.write(operation.input, 'input');
  const required = (schema.required ?? []) as string[];
  const properties = namedProperties(operation, schema.properties as Properties);
  if ('chat_id' in operation.input.shape && 'bot_id' in operation.input.shape && !required.includes('bot_id')) {
    properties.bot_id = { ...properties.bot_id, description: ONE_BOT_WILL_DO };
  }
  if (operation.method === 'GET') {
    const examples = (example ?? {}) as Record<string, unknown>;
    const parameters = Object.entries(properties).map(([name, property]) => ({
      ...parameter(name, property),
      required: required.includes(name),
      ...(name in examples ? { example: examples[name] } : {}),
    }));
    return parameters.length === 0 ? {} : { parameters };
  }
  if (Object.keys(properties).length === 0) return {};
  return {
    parameters: Object.entries(properties).map(([name, property]) => parameter(name, property)),
    requestBody: body(writer, operation, { required, properties }, example),
  };
}

/** The inputs, each with a description, and their other names. */
function namedProperties({ input, aliases = {} }: Operation, written: Properties): Properties {
  const properties: Properties = {};
  for (const name of Object.keys(input.shape)) {
    const { description = FIELD_NOTES[name], ...schema } = written[name] ?? {};
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
  writer: SchemaWriter,
  operation: Operation,
  { required, properties }: { required: string[]; properties: Properties },
  example: object | undefined,
): JsonSchema {
  const schema = writer.define(`${operation.name.replace(/^./, (letter) => letter.toUpperCase())}Input`, {
    type: 'object',
    properties: { ...properties, ...ignoredProperties(operation) },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
  const examples = example === undefined ? {} : { example };
  const lists = Object.entries(properties).flatMap(([name, property]) => {
    const style = listStyle(property);
    return Object.keys(style).length === 0 ? [] : [[name, style]];
  });
  const encoding = lists.length === 0 ? {} : { encoding: Object.fromEntries(lists) };
  return {
    description: 'Any field may be given in the query string instead; where it is in both, the body counts.',
    content: {
      'application/json': { schema, ...examples },
      'application/x-www-form-urlencoded': { schema, ...examples, ...encoding },
    },
  };
}

/** Read-only in the sense of the document: what a resource is listed with may be posted back. */
function ignoredProperties({ readOnlyFields = [] }: Operation): Properties {
  return Object.fromEntries(readOnlyFields.map((name) => [name, { readOnly: true, description: 'Ignored.' }]));
}

/** Lists are comma-separated where there is no JSON. */
function listStyle(schema: JsonSchema): JsonSchema {
  const kinds = (schema.anyOf ?? [schema]) as JsonSchema[];
  return kinds.some(({ type }) => type === 'array') ? { style: 'form', explode: false } : {};
}
