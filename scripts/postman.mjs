import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

// node scripts/postman.mjs [<file>]: writes a collection for Postman, Bruno or Insomnia from docs/openapi.json. Its variables are baseUrl and
// apiKey.

const ROOT = resolve(import.meta.dirname, '..');
const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const { info, paths, tags = [] } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);
const names = [...new Set([...tags.map(({ name }) => name), ...operations.flatMap((one) => one.tags ?? [])])];
const folders = names.map((name) => ({
  name,
  item: operations.filter((one) => one.tags?.[0] === name).map(requestOf),
}));
const collection = {
  info: { name: `${info.title} ${info.version}`, description: info.description, schema: SCHEMA },
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
  variable: [
    { key: 'baseUrl', value: 'http://localhost:8080' },
    { key: 'apiKey', value: 'flt_' },
  ],
  item: folders.filter(({ item }) => item.length > 0),
};
const file = resolve(process.argv[2] ?? join(ROOT, 'flotilla.postman_collection.json'));
writeFileSync(file, `${JSON.stringify(collection, null, 2)}\n`);

function requestOf({ path, method, operationId, summary, description = '', parameters = [], requestBody, security }) {
  const segments = path
    .slice(1)
    .replace(/\{(\w+)\}/g, ':$1')
    .split('/');
  const isCall = requestBody?.content['application/json'] !== undefined;
  const query = isCall ? [] : parameters.filter((one) => one.in === 'query').map(parameterOf);
  const variable = parameters.filter((one) => one.in === 'path').map(({ name }) => ({ key: name, value: '' }));
  return {
    name: summary ?? operationId,
    request: {
      method,
      description,
      url: { raw: `{{baseUrl}}/${segments.join('/')}`, host: ['{{baseUrl}}'], path: segments, query, variable },
      ...(security?.length === 0 || !path.startsWith('/api/') ? { auth: { type: 'noauth' } } : {}),
      ...(isCall ? bodyOf(requestBody.content['application/json']) : {}),
    },
  };
}

/** An optional one is there to be switched on. */
function parameterOf({ name, description = '', required = false, schema = {}, example, examples }) {
  const value = example ?? Object.values(examples ?? {})[0]?.value ?? schema.default ?? '';
  return { key: name, value: [value].flat().join(','), description, disabled: !required };
}

function bodyOf({ example, examples }) {
  const value = example ?? Object.values(examples ?? {})[0]?.value ?? {};
  const options = { raw: { language: 'json' } };
  return {
    header: [{ key: 'Content-Type', value: 'application/json' }],
    body: { mode: 'raw', raw: JSON.stringify(value, null, 2), options },
  };
}
