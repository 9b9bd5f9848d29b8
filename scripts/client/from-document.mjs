/** The operations below /api: a client library of Telegram calls the others. */
function restOperations({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith('/api/')
      ? Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation }))
      : [],
  );
}

/** Some operations stand at two paths; the first is theirs. */
function byName(document) {
  return new Map(
    restOperations(document)
      .toReversed()
      .map((one) => [one.operationId, one]),
  );
}

export function routesOf(document) {
  const routes = [...byName(document)].toReversed().map(([name, { method, path, parameters = [] }]) => {
    const isKeyed = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
    return `  ${name}: '${method.toUpperCase()}${isKeyed ? '+' : ''} ${path}',\n`;
  });
  return `export const routes: Readonly<Record<string, string>> = {\n${routes.join('')}};\n`;
}

/** The types of the document, and of each operation what it takes and answers. A file is a Blob here. */
export function apiTypes(document, types) {
  const names = [...byName(document).keys()].toReversed();
  return `${types}
type QueryOf<Of> = Of extends { parameters: { query?: infer Query } } ? NonNullable<Query> : object;
type FileOf<Of> = Of extends { requestBody?: { content: { 'multipart/form-data': unknown } } } ? { file?: Blob } : unknown;
type InputOf<Of> = Of extends { requestBody?: never }
  ? QueryOf<Of>
  : Of extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body & FileOf<Of> : QueryOf<Of>;
type AnswerOf<Of> = Of extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never;
type Names = ${names.map((name) => `'${name}'`).join(' | ')};

/** Of each operation what it takes and answers. */
export type Api = { [Name in Names]: { input: InputOf<operations[Name]>; answer: AnswerOf<operations[Name]> } };
`;
}
