import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { provide } from './globals.mjs';

const require = createRequire(import.meta.url);
const GLOBALS = import.meta.resolve('./globals.mjs');

enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node/tests'));
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

/**
 * Jest's `runtime`: imports test files by Node itself. Jest's own gives each file a vm context and loads all modules
 * anew into it. Here the files that one worker runs share Node's module cache.
 */
export default class NativeRuntime {
  /** Loads jest-circus anew for each test file, because it keeps the file's tests and listeners. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    provide(globals);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
