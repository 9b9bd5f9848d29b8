const { exit } = process;

/** Jest's `testEnvironment`: the worker's own globals. */
export default class NativeEnvironment {
  global = globalThis;
  #redis;

  constructor({ projectConfig }) {
    this.#redis = projectConfig.testEnvironmentOptions.redis;
  }

  getVmContext() {
    return null;
  }

  async setup() {
    if (this.#redis) process.env.TEST_REDIS = this.#redis;
    // Jest shortens paths in stack traces, but not URLs.
    Error.prepareStackTrace = (error, frames) => {
      const lines = frames.map((frame) => `    at ${frame}`.replace('file://', '').replace(/\?redis=\w*/, ''));
      return [Error.prototype.toString.call(error), ...lines].join('\n');
    };
  }

  async teardown() {
    // Jest has wrapped it in a report that names this file.
    process.exit = exit;
    if (this.#redis) delete process.env.TEST_REDIS;
  }
}
