import { z } from 'zod';

/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = Record<string, unknown>;

/** Turns zod schemas into JSON Schemas; those with an id become components, which the others refer to. */
export interface SchemaWriter {
  components: Record<string, JsonSchema>;
  write(schema: z.ZodType, direction: 'input' | 'output'): JsonSchema;
  /** Adds a schema to the components; returns the reference to it. */
  define(name: string, schema: JsonSchema): JsonSchema;
}

export function schemaWriter(): SchemaWriter {
  const components: Record<string, JsonSchema> = {};
  const define = (name: string, schema: JsonSchema) => {
    components[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  return {
    components,
    define,
    write(schema, direction) {
      // 'input' in both directions: an answer is what the handler returns, which zod does not transform.
      const written = z.toJSONSchema(schema, { io: 'input', override: (context) => polish(context, direction) });
      const { $schema: _dialect, $defs = {}, ...rest } = redirected(written) as JsonSchema & { $defs?: object };
      for (const [name, definition] of Object.entries($defs)) define(name, definition as JsonSchema);
      return rest;
    },
  };
}

/** The name of a component that belongs to one operation; generators of clients make a type of it. */
export function schemaName(operation: string): string {
  return operation.replace(/^./, (letter) => letter.toUpperCase());
}

interface Written {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: JsonSchema;
}

/** Adds what zod omits, and removes what does not help a reader. */
function polish({ zodSchema, jsonSchema }: Written, direction: 'input' | 'output'): void {
  // zod omits the default of an input that is transformed.
  if (zodSchema._zod.def.type === 'default') jsonSchema.default = zodSchema._zod.def.defaultValue;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.type === 'integer') {
    jsonSchema.format = 'int64';
    // All integers are safe ones, so in answers these bounds do not help a reader.
    if (direction === 'output' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (direction === 'output' && jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  }
  // zod writes the description in different places, depending on how the schema was built.
  const { description } = jsonSchema;
  delete jsonSchema.description;
  if (description !== undefined) jsonSchema.description = description;
}

/** zod keeps definitions in the schema itself; the document keeps them among its components. */
function redirected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redirected);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      name === '$ref' ? String(entry).replace('#/$defs/', '#/components/schemas/') : redirected(entry),
    ]),
  );
}
