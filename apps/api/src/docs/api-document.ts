import { errorAnswer } from '@flotilla/contract/errors.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import { operations } from '@flotilla/contract/operations.ts';
import { RELEASE } from '@flotilla/runtime/build.ts';
import { chaptersOf, INTRODUCTION } from './chapters.ts';
import { describeOperation } from './describe-operation.ts';
import { describeProxy, PROXY_CHAPTER } from './describe-proxy.ts';
import { type Components, HEADERS } from './describe-responses.ts';
import { type JsonSchema, schemaWriter } from './json-schema.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: JsonSchema;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  /** Path → method in lower case → operation. */
  paths: Record<string, Record<string, JsonSchema>>;
  /** The requests that we send to backends. */
  webhooks: JsonSchema;
  components: Record<string, Record<string, JsonSchema>>;
}

/** The OpenAPI document of everything that the api serves. */
export function apiDocument(): OpenApiDocument {
  const components: Components = { writer: schemaWriter(), responses: {} };
  components.writer.write(errorAnswer, 'output');
  const paths: OpenApiDocument['paths'] = {};
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const [path] = operation.paths;
    const entry = describeOperation(name, operation, components);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: entry };
  }
  const proxy = describeProxy(components.writer);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Flotilla',
      version: RELEASE,
      summary: 'A whole fleet of Telegram bots behind one API.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The host that served this document.' }],
    tags: [...chaptersOf(Object.values(operations)), PROXY_CHAPTER],
    paths: { ...paths, ...(proxy.paths as OpenApiDocument['paths']) },
    webhooks: proxy.webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: sorted(components.writer.components),
      responses: sorted(components.responses),
      headers: HEADERS,
    },
  };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key. It begins with `flt_`.' },
  session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'The cookie that sign-in sets.' },
};

function sorted<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));
}
