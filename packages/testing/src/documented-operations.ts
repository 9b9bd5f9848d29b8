import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { RestAnswer } from './rest-client.ts';
import type { JsonSchema } from './wrong-values.ts';

/** An operation as the OpenAPI document describes it. */
export interface DocumentedOperation {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  role: 'public' | 'any' | 'admin';
  /** The inputs that have an effect, by name; readOnly ones are left out. */
  inputs: Record<string, { schema: JsonSchema; required: boolean }>;
  /** Returns how a response contradicts the document, one sentence per contradiction. */
  contradictions(answer: RestAnswer): string[];
}

interface Described {
  operationId: string;
  'x-role': DocumentedOperation['role'];
  parameters?: { name: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, JsonSchema>;
}

interface Document {
  paths: Record<string, Record<string, JsonSchema>>;
  components: Record<string, Record<string, JsonSchema>>;
}

/** Headers that only some responses have. */
const OCCASIONAL = ['RateLimit', 'RateLimit-Policy', 'Link', 'Set-Cookie', 'Idempotency-Replayed'];

/** All REST operations of an OpenAPI 3.1 document. Leaves out proxy operations: they have no role, only a bot token. */
export function documentedOperations(document: Document): DocumentedOperation[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, '/openapi.json');
  const explain = (pointer: string, value: unknown): string[] => {
    const validate = ajv.getSchema(`/openapi.json#${pointer}`) ?? ajv.compile({ $ref: `/openapi.json#${pointer}` });
    return validate(value) === true ? [] : [ajv.errorsText(validate.errors, { dataVar: 'answer' })];
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, entry]) => {
      const described = entry as unknown as Described;
      if (described['x-role'] === undefined) return [];
      return {
        name: described.operationId,
        method: method.toUpperCase() as DocumentedOperation['method'],
        path,
        role: described['x-role'],
        inputs: inputsOf(document, described),
        contradictions: (answer) =>
          contradictions(document, `/paths/${escaped(path)}/${method}/responses/${answer.status}`, answer, explain),
      };
    }),
  );
}

function inputsOf(document: Document, described: Described): DocumentedOperation['inputs'] {
  const { parameters = [], requestBody } = described;
  const body = requestBody?.content['application/json']?.schema;
  if (body === undefined) {
    return Object.fromEntries(parameters.map(({ name, schema, required = false }) => [name, { schema, required }]));
  }
  const { properties, required = [] } = resolved(document, body) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, schema]) => schema.readOnly !== true)
      .map(([name, schema]) => [name, { schema, required: required.includes(name) }]),
  );
}

function contradictions(
  document: Document,
  pointer: string,
  answer: RestAnswer,
  explain: (pointer: string, value: unknown) => string[],
): string[] {
  const place = followed(document, pointer);
  if (place === null) return [`status ${answer.status} is not documented: ${answer.text.slice(0, 200)}`];
  const { headers = {}, content = {} } = at(document, place) as {
    headers?: Record<string, JsonSchema>;
    content?: Record<string, JsonSchema>;
  };
  const missing = Object.keys(headers).filter((name) => !OCCASIONAL.includes(name) && !answer.headers.has(name));
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  const faults = missing.map((name) => `the header ${name} is missing`);
  if (Object.keys(content).length === 0 && answer.text === '') return faults;
  if (content[type] === undefined) return [...faults, `the content type ${type} is not documented`];
  const value = type === 'application/json' ? answer.json : answer.text;
  return [...faults, ...explain(`${place}/content/${escaped(type)}/schema`, value)];
}

/** Follows references from that position to the end; null when nothing is there. */
function followed(document: Document, pointer: string): string | null {
  const found = at(document, pointer);
  if (found === undefined) return null;
  return typeof found.$ref === 'string' ? followed(document, found.$ref.slice(1)) : pointer;
}

function resolved(document: Document, schema: JsonSchema): JsonSchema {
  return typeof schema.$ref === 'string' ? (at(document, schema.$ref.slice(1)) ?? {}) : schema;
}

function at(document: Document, pointer: string): JsonSchema | undefined {
  const names = pointer.slice(1).split('/');
  return names.reduce<JsonSchema | undefined>(
    (found, name) => found?.[name.replaceAll('~1', '/').replaceAll('~0', '~')] as JsonSchema | undefined,
    document as unknown as JsonSchema,
  );
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
