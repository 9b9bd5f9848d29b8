/** A JSON Schema as in the API document. */
export type JsonSchema = Record<string, unknown>;

/** Values that a schema refuses, as JSON: other types, null, out of range, too long, not in the list. */
export function wrongValues(schema: JsonSchema): unknown[] {
  const kinds = kindsOf(schema);
  const isNullable = kinds.some(({ type }) => type === 'null');
  const kind = { ...schema, ...kinds.find(({ type }) => type !== 'null') };
  return [...(isNullable ? [] : [null]), ...wrongOf(kind)];
}

/** Like wrongValues, for a query string, where every value is text. */
export function wrongTexts(schema: JsonSchema): string[] {
  const kinds = kindsOf(schema);
  const kind = { ...schema, ...kinds.find(({ type }) => type !== 'null') };
  const values = kind.type === 'array' ? ['[1', ...wrongLists(kind)] : wrongOf(kind);
  return values.flatMap((value) => {
    if (typeof value === 'string') return value.isWellFormed() ? [value] : [];
    // A string input accepts any text, so leave out other types; wrong lists are sent as JSON.
    if (kind.type === 'string') return [];
    return typeof value === 'number' || kind.type === 'array' ? [JSON.stringify(value)] : [];
  });
}

/** The alternatives of a schema, also those of an alternative. */
function kindsOf(schema: JsonSchema): JsonSchema[] {
  return schema.anyOf === undefined ? [schema] : (schema.anyOf as JsonSchema[]).flatMap(kindsOf);
}

function wrongOf(schema: JsonSchema): unknown[] {
  switch (schema.type) {
    case 'integer':
      return wrongIntegers(schema);
    case 'boolean':
      return ['x', '', 'yes', 2, -1, {}, []];
    case 'array':
      return [1.5, true, {}, ...wrongLists(schema)];
    case 'object':
      return ['x', 1.5, true, [], ...(isOpen(schema) ? [] : [{ no_such_field: true }]), ...wrongProperties(schema)];
    case 'string':
      return [1.5, true, {}, [], ...wrongStrings(schema)];
    default:
      throw new Error(`No wrong values are known for ${JSON.stringify(schema)}`);
  }
}

/** An object of the platform's has whatever fields it has. */
function isOpen({ additionalProperties }: JsonSchema): boolean {
  return typeof additionalProperties === 'object';
}

function wrongIntegers(schema: JsonSchema): unknown[] {
  const { minimum, maximum } = schema as { minimum: number; maximum: number };
  const inexact = ['9007199254740993', '-9007199254740993', '9223372036854775807', 2 ** 53];
  const tooSmall = minimum > Number.MIN_SAFE_INTEGER ? [minimum - 1, `${minimum - 1}`] : [];
  const isRefused = maximum < Number.MAX_SAFE_INTEGER && schema['x-above-maximum'] !== 'lowered';
  const tooBig = isRefused ? [maximum + 1, `${maximum + 1}`] : [];
  return ['x', '', ' ', '1.5', '1e3', 1.5, true, {}, [], [1], ...inexact, ...tooSmall, ...tooBig];
}

function wrongStrings(schema: JsonSchema): string[] {
  const {
    minLength = 0,
    maxLength,
    pattern,
    format,
  } = schema as {
    minLength?: number;
    maxLength?: number;
    pattern?: string;
    format?: string;
  };
  if (schema.enum !== undefined) return ['', 'no such word'];
  if (format === 'date-time') return ['', 'x', '2030-01-01', '2030-13-01T00:00:00Z', '2030-01-01T00:00:00'];
  const form = new RegExp(pattern ?? '', 'u');
  return [
    'half \ud800 a pair',
    'nul \0',
    ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...[' ', 'x', '!', 'ж', 'x'.repeat(1000)].filter((text) => !form.test(text)),
  ];
}

function wrongLists(schema: JsonSchema): unknown[][] {
  const { items, maxItems } = schema as { items: JsonSchema; maxItems?: number };
  const item = items.type === 'integer' ? 1 : 'x';
  const tooMany = maxItems === undefined ? [] : [Array<unknown>(maxItems + 1).fill(item)];
  return [...wrongValues(items).map((value) => [value]), ...tooMany];
}

function wrongProperties(schema: JsonSchema): unknown[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  return properties.flatMap(([name, property]) => wrongValues(property).map((value) => ({ [name]: value })));
}
