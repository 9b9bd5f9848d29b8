import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { errorAnswer } from '../resources/answers.ts';
import { describeProxy, PROXY_TAG } from './bot-api-proxy.ts';
import { type Components, describeOperation } from './describe-operation.ts';
import type { Documentation } from './document-operation.ts';
import { HEADERS } from './headers.ts';
import { INTRODUCTION } from './introduction.ts';
import { type JsonSchema, schemaWriter } from './json-schema.ts';
import { describeFields } from './resource-notes.ts';
import { tagsOf } from './tags.ts';

export const API_VERSION = '1.0.0';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: JsonSchema;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  /** Path → method in lower case → operation. */
  paths: Record<string, Record<string, JsonSchema>>;
  /** What we send by ourselves. */
  webhooks: JsonSchema;
  components: Record<string, Record<string, JsonSchema>>;
}

/** The OpenAPI document of the operations; `statusOf` says which status an error's code becomes. */
export function openApiDocument(given: {
  operations: readonly Operation[];
  documentation: readonly Documentation[];
  statusOf: Readonly<Record<ErrorCode, number>>;
}): OpenApiDocument {
  const { operations, documentation, statusOf } = given;
  const components: Components = { writer: schemaWriter(), responses: {}, statusOf };
  components.writer.write(errorAnswer, 'output');
  const aboutOf = new Map(documentation.map((about) => [about.operation, about]));
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const [path] = operation.paths;
    const entry = describeOperation(operation, aboutOf.get(operation), components);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: entry };
  }
  const proxy = describeProxy(components.writer);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Flotilla',
      version: API_VERSION,
      summary: 'A whole fleet of Telegram bots behind one API.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document came from.' }],
    tags: [...tagsOf(operations), PROXY_TAG],
    paths: { ...paths, ...(proxy.paths as OpenApiDocument['paths']) },
    webhooks: proxy.webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries(
        Object.entries(sorted(components.writer.components)).map(([name, schema]) => [
          name,
          describeFields(name, schema),
        ]),
      ),
      responses: sorted(components.responses),
      headers: HEADERS,
    },
  };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key; it begins `flt_`.' },
  session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'The cookie that signing in sets.' },
};

function sorted<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));
}
