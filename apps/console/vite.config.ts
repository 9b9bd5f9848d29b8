import { join } from 'node:path';
import { operations } from '@flotilla/contract/operations.ts';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const OPERATIONS = 'virtual:operations';

/** Gives the page the method and the path of every operation; the schemas stay in Node, and out of the bundle. */
function operationTable(): Plugin {
  const table = Object.entries(operations).map(([name, { method, paths }]) => [name, [method, paths[0]]]);
  return {
    name: 'operation-table',
    resolveId: (id) => (id === OPERATIONS ? `\0${OPERATIONS}` : null),
    load: (id) =>
      id === `\0${OPERATIONS}` ? `export const operationTable = ${JSON.stringify(Object.fromEntries(table))};` : null,
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), operationTable()],
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    target: 'es2022',
    // The policy of the page forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `npx vite apps/console` shows changes at once, beside an api on its usual port.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
