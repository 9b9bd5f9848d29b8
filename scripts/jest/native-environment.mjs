const { exit } = process;

/** Jest's `testEnvironment`: the worker's own globals. */
export default class NativeEnvironment {
  global = globalThis;

  getVmContext() {
    return null;
  }

  async setup() {
    // Jest shortens paths in stack traces, but not URLs.
    Error.prepareStackTrace = (error, frames) => {
      const lines = frames.map((frame) => `    at ${frame}`.replace('file://', ''));
      return [Error.prototype.toString.call(error), ...lines].join('\n');
    };
  }

  async teardown() {
    // Jest has wrapped it in a report that names this file.
    process.exit = exit;
  }
}
