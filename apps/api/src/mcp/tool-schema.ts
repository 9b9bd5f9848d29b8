import { z } from 'zod';

/** The part of JSON Schema that every vendor of models takes; some refuse a tool for any other keyword. */
export type ToolSchema = {
  type?: string;
  description?: string;
  properties?: Record<string, ToolSchema>;
  required?: string[];
  items?: ToolSchema;
  enum?: unknown[];
};

type Keywords = ToolSchema &
  Partial<Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems', number>> & {
    default?: unknown;
  };

/** The schema of a tool as clients are shown it: limits and defaults are in the descriptions. */
export function toolSchemaOf(input: z.ZodObject): ToolSchema {
  return simplified(z.toJSONSchema(input, { io: 'input' }) as Keywords);
}

function simplified({ type, properties, required, items, enum: values, ...rest }: Keywords): ToolSchema {
  const description = [rest.description, limitsOf(rest)].filter((text) => text !== undefined && text !== '').join(' ');
  return {
    ...(type === undefined ? {} : { type }),
    ...(description === '' ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: simplified(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, simplified(value)])),
        }),
    ...(required === undefined ? {} : { required }),
  };
}

function limitsOf({ minimum, maximum, maxLength, maxItems, default: value }: Keywords): string {
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return [
    bounded ? `From ${minimum} to ${maximum}.` : '',
    maxLength === undefined ? '' : `At most ${maxLength} characters.`,
    maxItems === undefined ? '' : `At most ${maxItems}.`,
    value === undefined ? '' : `Default: ${value}.`,
  ]
    .filter((text) => text !== '')
    .join(' ');
}

/** The arguments of a tool as models write them: null for what is absent, and values of another type for the one that is meant. */
export function readArguments({ properties = {} }: ToolSchema, given: unknown): Record<string, unknown> {
  const named = parsedOr(given, '{');
  if (typeof named !== 'object' || named === null || Array.isArray(named)) return {};
  const present = Object.entries(named).filter(([, value]) => value !== null);
  return Object.fromEntries(present.map(([name, value]) => [name, readAs(properties[name], value)]));
}

function readAs(schema: ToolSchema | undefined, value: unknown): unknown {
  switch (schema?.type) {
    case 'integer':
      return typeof value === 'string' && /^\s*[-+]?\d{1,16}(\.0+)?\s*$/.test(value) ? Number(value) : value;
    case 'boolean':
      return typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'array':
      return [parsedOr(value, '[')].flat().map((item) => readAs(schema.items, item));
    default:
      return value;
  }
}

/** The JSON in a text that begins so; any other value as it is. */
function parsedOr(value: unknown, begin: string): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith(begin)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
