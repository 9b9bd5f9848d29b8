/**
 * What '@jest/globals' exports, without `jest`: nothing is mocked here. These are live bindings, because modules that
 * test files share import them once, and each test file has its own.
 */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test;

export function provide(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = globals);
}
