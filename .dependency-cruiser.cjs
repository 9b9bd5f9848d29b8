/** The house rules on who may import whom: `contract ← runtime ← {database, redis, telegram} ← domain ← apps`. */

const TESTS = '(\\.test\\.ts$|/conformance/|^apps/console/tests/)';
const TEST_PACKAGES = '^packages/(testing|system-tests|bench)/';
const ENTRIES = [
  '/launch\\.mjs$',
  '/main\\.tsx?$',
  '^apps/console/src/start\\.ts$',
  '^packages/client/src/client\\.ts$',
  '\\.d\\.ts$',
  '/docs/page\\.js$',
  '/phone/page/phone\\.js$',
  TESTS,
  '^packages/testing/src/jest-',
];
/** Test code may import anything, but the product must not import test code. */
const PRODUCT = { path: '^(packages|apps)/', pathNot: [TESTS, TEST_PACKAGES] };
const product = (path) => ({ path, pathNot: [TESTS] });

/** Rooms of the domain, lowest first: each may import the rooms before it, and none after it. */
const DOMAIN_ROOMS = ['people', 'fleet', 'records', 'delivery', 'watch', 'startup'];
const rooms = (names) => `^packages/domain/src/(${names.join('|')})/`;

/** Folders and files of the api, lowest first: each may import those before it, and none after it. */
const API_PARTS = [
  ...['api-metrics.ts', 'http', 'auth', 'present', 'live', 'config.ts', 'context.ts', 'probes', 'platform-webhook'],
  ...['bot-api-proxy', 'operations', 'oidc', 'docs', 'console', 'queue-board', 'endpoints', 'mcp'],
  ...['while-starting.ts', 'app.ts', 'start.ts', 'main.ts', 'launch.mjs'],
];
/** The proxy is served beside them. */
const REST_PARTS = ['operations', 'oidc', 'docs', 'console', 'queue-board', 'endpoints', 'mcp', 'app.ts'];
const apiParts = (names) => `^apps/api/src/(${names.join('|')})(/|$)`;

const layers = {
  contract: '^(packages/(?!contract/)|apps/)',
  runtime: '^(packages/(?!(contract|runtime)/)|apps/)',
  database: '^(packages/(?!(contract|runtime|database)/)|apps/)',
  redis: '^(packages/(?!(contract|runtime|redis)/)|apps/)',
  telegram: '^(packages/(?!(contract|runtime|telegram)/)|apps/)',
  domain: '^(packages/(?!(contract|runtime|database|redis|telegram|domain)/)|apps/)',
  embedded: '^(packages/(?!(contract|runtime|embedded)/)|apps/)',
};

module.exports = {
  forbidden: [
    ...Object.entries(layers).map(([name, above]) => ({
      name: `${name}-stays-in-its-layer`,
      comment: 'contract <- runtime <- {database, redis, telegram} <- domain <- apps; siblings never import each other',
      severity: 'error',
      from: product(`^packages/${name}/`),
      to: { path: above },
    })),
    {
      name: 'contract-has-no-io',
      comment: 'It is schemas and texts: zod, and nothing of Node',
      severity: 'error',
      from: product('^packages/contract/'),
      to: { pathNot: ['^packages/contract/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'apps-do-not-import-apps',
      comment:
        'Apps meet over the network; flotilla is all of them in one process, and the sandbox starts the simulator',
      severity: 'error',
      from: { path: '^apps/(?!flotilla/)([^/]+)/', pathNot: [TESTS] },
      to: {
        path: '^apps/',
        pathNot: ['^apps/$1/', '^apps/simulator/src/(control-client|start|faults/flood-limits)\\.ts$'],
      },
    },
    {
      name: 'only-the-sandbox-uses-the-simulator',
      severity: 'error',
      from: { path: '^apps/(?!(sandbox|simulator)/)', pathNot: [TESTS] },
      to: { path: '^apps/simulator/' },
    },
    {
      name: 'the-console-knows-the-contract-only',
      comment: 'A browser gets the types of the contract, which leave nothing in the bundle, and none of our code',
      severity: 'error',
      from: { path: '^apps/console/src/' },
      to: { path: '^(apps|packages)/', pathNot: ['^apps/console/src/', '^packages/contract/'] },
    },
    {
      name: 'the-console-imports-types-of-the-contract',
      severity: 'error',
      from: { path: '^apps/console/src/' },
      to: { path: '^packages/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-the-one-process-brings-its-stores',
      comment: 'All others get their Postgres and Redis from their settings',
      severity: 'error',
      from: { path: '^apps/(?!(flotilla|sandbox)/)', pathNot: [TESTS] },
      to: { path: '^packages/embedded/' },
    },
    ...DOMAIN_ROOMS.slice(0, -1).map((room, place) => ({
      name: `domain-${room}-imports-downwards`,
      comment: 'A room imports only those before it in DOMAIN_ROOMS; what needs a later one becomes a turn',
      severity: 'error',
      from: product(rooms([room])),
      to: { path: rooms(DOMAIN_ROOMS.slice(place + 1)) },
    })),
    ...API_PARTS.slice(0, -1).map((part, place) => ({
      name: `api-${part}-imports-downwards`,
      comment: 'http knows nothing of sign-in, sign-in nothing of operations',
      severity: 'error',
      from: product(apiParts([part])),
      to: { path: apiParts(API_PARTS.slice(place + 1)) },
    })),
    {
      name: 'rest-does-not-import-the-proxy',
      comment: 'What both need is in http or auth',
      severity: 'error',
      from: product(apiParts(REST_PARTS)),
      to: { path: apiParts(['bot-api-proxy']) },
    },
    {
      name: 'every-part-of-the-api-has-its-place',
      comment: 'A new folder goes into API_PARTS of .dependency-cruiser.cjs',
      severity: 'error',
      from: {},
      to: { path: '^apps/api/src/', pathNot: [apiParts(API_PARTS), TESTS] },
    },
    {
      name: 'every-domain-feature-has-its-room',
      comment: 'A new feature goes into one of DOMAIN_ROOMS of .dependency-cruiser.cjs',
      severity: 'error',
      from: {},
      to: { path: '^packages/domain/src/', pathNot: rooms(DOMAIN_ROOMS) },
    },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      from: PRODUCT,
      to: { path: [TESTS, TEST_PACKAGES] },
    },
    {
      name: 'every-file-is-reached',
      comment:
        'From a launch.mjs, a main.ts, a page, a test, or what Jest is configured with; what nothing reaches is left over. ' +
        'Without cycles, some file of what is not reached is imported by no file; to look for paths takes three times as long',
      severity: 'error',
      module: {
        path: '^(apps|packages)/[^/]+/src/',
        pathNot: [...ENTRIES, TEST_PACKAGES, '[.]d[.]mts$'],
        numberOfDependentsLessThan: 1,
      },
      from: {},
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'what-is-imported-exists',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
    {
      name: 'dependencies-are-declared',
      comment: 'Each workspace names in its package.json what its product code imports',
      severity: 'error',
      from: PRODUCT,
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'product-does-not-need-dev-dependencies',
      severity: 'error',
      comment: 'The console is built: what it imports is in its files, and not installed where it is served',
      from: { path: PRODUCT.path, pathNot: [...PRODUCT.pathNot, '^apps/console/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    preserveSymlinks: false,
    combinedDependencies: false,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/node_modules/@types/', '^apps/console/dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
