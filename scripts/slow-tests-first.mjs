import Sequencer from '@jest/test-sequencer';

/** Tests of whole fleets wait a lot; begun first, they overlap with the rest instead of trailing it. */
const SLOW = ['system-tests', 'conformance', 'sandbox', 'bot-api-proxy'];

export default class SlowTestsFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = SLOW.findIndex((part) => path.includes(part));
      return at === -1 ? SLOW.length : at;
    };
    return [...super.sort(tests)].sort((left, right) => rank(left) - rank(right));
  }
}
