import { join } from 'node:path';
import { operations } from '@flotilla/contract/operations.ts';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { z } from 'zod';

const OPERATIONS = 'virtual:operations';
const SETTINGS = 'virtual:settings';
const BASE = '/console/';
const SRC = join(import.meta.dirname, 'src');
/** Files of the first screen, each before those that import it. */
const PACKS = ['start', 'libraries', 'page', 'list', 'fleet', 'menus'] as const;
const IN_HEAD = ['libraries', 'page', 'rolldown-runtime'];
/** The scripts of both languages: a font that comes late would move what is read already. */
const FIRST_FONTS = /geist-(latin|cyrillic)-wght-normal.*\.woff2$/;

/** Modules that are made here of the contract; its schemas stay in Node, and out of the bundle. */
function fromContract(): Plugin {
  const table = Object.entries(operations).map(([name, { method, paths }]) => [name, [method, paths[0]]]);
  const controls = Object.entries(operations.updateBot.input.shape).map(([name, schema]) => [name, controlOf(schema)]);
  const made = new Map([
    [OPERATIONS, `export const operationTable = ${JSON.stringify(Object.fromEntries(table))};`],
    [SETTINGS, `export const settingControls = ${JSON.stringify(Object.fromEntries(controls))};`],
  ]);
  return {
    name: 'from-contract',
    resolveId: (id) => (made.has(id) ? `\0${id}` : null),
    load: (id) => made.get(id.slice(1)) ?? null,
  };
}

/** The facts of an input that a control of the page needs: its kind and its limits. */
function controlOf(schema: z.ZodType) {
  const { type, enum: options, minimum, maximum, maxLength, properties } = z.toJSONSchema(schema);
  return { type, enum: options, minimum, maximum, maxLength, properties };
}

/**
 * Puts what every page needs into few files, as a browser asks for six at a time, and names them in the head, so that it
 * asks for them before it has run the first.
 */
function packPage(): Plugin {
  const packOf = new Map<string, string>();
  // A pack takes what its modules import along, unless one before it has that.
  const groups = PACKS.map((name, at) => ({
    name,
    priority: PACKS.length - at,
    test: (id: string) => packOf.get(id) === name,
  }));
  return {
    name: 'pack-page',
    config: () => ({ build: { rolldownOptions: { output: { codeSplitting: { groups } } } } }),
    buildEnd() {
      const pack = (file: string, nameOf: (id: string) => (typeof PACKS)[number]) => {
        for (const id of withImports(join(SRC, file), (one) => this.getModuleInfo(one)?.importedIds ?? [])) {
          if (!packOf.has(id)) packOf.set(id, nameOf(id));
        }
      };
      pack('start.ts', () => 'start');
      pack('main.tsx', (id) => (id.includes('/node_modules/') ? 'libraries' : 'page'));
      pack('screens/fleet/fleet.tsx', (id) => (id.includes('/screens/') ? 'fleet' : 'list'));
      pack('parts/menu-parts.ts', () => 'menus');
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const page = chunks.filter(({ name }) => IN_HEAD.includes(name));
        const styles = page.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        const fonts = Object.keys(bundle).filter((file) => FIRST_FONTS.test(file));
        return [
          ...fonts.map((file) => linkTo(file, 'preload', { as: 'font', type: 'font/woff2' })),
          ...page.map(({ fileName }) => linkTo(fileName, 'modulepreload')),
          ...styles.map((file) => linkTo(file, 'stylesheet')),
        ];
      },
    },
  };
}

/** The layers of the styles: a later one wins, whenever its file arrives. */
const LAYERS = ['theme', 'libraries', 'styles', 'parts', 'shell', 'screens'] as const;

/** Puts each file of styles into the layer of its folder. */
function layerStyles(): Plugin {
  const order = `@layer ${LAYERS.join(', ')};`;
  const layerOf = (file: string) =>
    file.includes('/node_modules/') ? 'libraries' : LAYERS.find((layer) => file.startsWith(`${SRC}/${layer}`));
  return {
    name: 'layer-styles',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('.css')) return null;
      const layer = layerOf(id);
      if (layer === undefined) throw new Error(`${id} is in no layer`);
      return { code: `${layer === 'theme' ? order : ''}@layer ${layer}{${code}}`, map: null };
    },
  };
}

/** A module with all that it imports, and what that imports. */
function withImports(id: string, importsOf: (id: string) => readonly string[], found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of importsOf(id)) withImports(imported, importsOf, found);
  return found;
}

function linkTo(file: string, rel: string, attrs: HtmlTagDescriptor['attrs'] = {}): HtmlTagDescriptor {
  return { tag: 'link', attrs: { rel, ...attrs, crossorigin: true, href: BASE + file }, injectTo: 'head' };
}

export default defineConfig({
  root: import.meta.dirname,
  base: BASE,
  plugins: [react(), fromContract(), layerStyles(), packPage()],
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    target: 'es2022',
    // The first with `:has()` and `:dir()`: for older ones, the direction would be guessed from the language.
    cssTarget: ['chrome120', 'firefox121', 'safari16.4'],
    // The policy of the page forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `npx vite apps/console` shows changes at once, beside an api on its usual port.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
