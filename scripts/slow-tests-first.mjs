import Sequencer from '@jest/test-sequencer';

/**
 * Start these first, in this order: on a machine without measured times the slowest tests would otherwise end last. The
 * files of each pattern take a few seconds less than those of the pattern before it.
 */
const SLOWEST = [
  /(killed-processes|load-and-faults)\.fault/,
  /(secrets|full-redis|strangers|rolling-restart)\.fault/,
  /system-tests.*(tls|key-rotation|polling-pace|worker-log|deliveries|fleet-overview|platform-webhook)\.test/,
  /(sandbox|slow-clients|conformance|images|client-libraries|start-without-stores|check-infra)\.test/,
  /system-tests.*(lost-ids|update-samples|backend-certificates|routed-content|routing|metrics)\.test/,
  /\.fault\./,
  /system-tests/,
  /bot-api-proxy/,
];

export default class SlowTestsFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = SLOWEST.findIndex((pattern) => pattern.test(path));
      return at === -1 ? SLOWEST.length : at;
    };
    return [...super.sort(tests)].sort((left, right) => rank(left) - rank(right));
  }
}
