import Sequencer from '@jest/test-sequencer';
import { interleave } from './test-order.mjs';

/** Jest's `testSequencer`. Without it, Jest starts the largest files first on a machine without measured times. */
export default class TestSequencer extends Sequencer {
  #workers;

  constructor(options) {
    super(options);
    this.#workers = options.globalConfig.maxWorkers;
  }

  sort(tests) {
    return interleave([...super.sort(tests)], this.#workers);
  }
}
