// Says in which order test files start. Paths are patterns.

/** Files that mostly wait, each with its seconds on a quiet machine, of which a third at most are processor time. */
export const MOSTLY_WAIT = {
  'system-tests/src/deliveries\\.test': 105,
  'system-tests/src/worker-log\\.test': 95,
  'system-tests/src/polling-pace\\.test': 90,
  'system-tests/src/fleet-overview\\.test': 75,
  'system-tests/src/platform-webhook\\.test': 70,
  'system-tests/src/get-updates-conformance\\.test': 55,
  'system-tests/src/lost-ids\\.test': 55,
  'simulator/src/conformance/conformance\\.test': 50,
  'system-tests/src/routing/routing\\.test': 50,
  'http/slow-clients\\.test': 45,
  'system-tests/src/metrics\\.test': 40,
  'system-tests/src/routing/routed-content\\.test': 35,
  'worker/src/worker\\.test': 30,
  'redis/src/connect\\.test': 25,
  'auth/ended-credentials\\.test': 20,
  'update-log/update-log\\.test': 20,
  'redis/src/subscription\\.test': 20,
  'bot-api-proxy/pass-through\\.test': 20,
  'backend-policy/own-endpoints\\.test': 15,
};

/** All others in this order, each with the seconds that one of them takes beside others, about. */
export const MOSTLY_COMPUTE = {
  '(killed-processes|load-and-faults)\\.fault': 120,
  '(secrets|full-redis|strangers|rolling-restart)\\.fault': 90,
  'system-tests/src/(tls/|key-rotation)': 60,
  'system-tests/src/update-samples\\.test': 60,
  '(sandbox|images|client-libraries|start-without-stores|check-infra)': 50,
  '\\.fault\\.': 45,
  'endpoints/every-operation\\.test': 25,
  'system-tests/': 15,
  'bot-api-proxy/': 4,
  '': 2,
};

/** Files that wait run beside others that keep the processor busy: without the latter it would be idle. */
const SHARE_THAT_WAITS = 2 / 3;

/** Plays the run through: whenever one of the workers is free, it takes the longest of what mostly waits, or another file. */
export function interleave(tests, workers) {
  const waiting = ranked(tests, MOSTLY_WAIT);
  const computing = ranked(
    tests.filter((test) => !waiting.some((one) => one.test === test)),
    MOSTLY_COMPUTE,
  );
  const slots = Array.from({ length: workers }, () => ({ freeAt: 0, waits: false }));
  const order = [];
  while (waiting.length + computing.length > 0) {
    const slot = slots.reduce((first, one) => (one.freeAt < first.freeAt ? one : first));
    const wait = slots.filter(({ freeAt, waits }) => waits && freeAt > slot.freeAt).length;
    slot.waits = computing.length === 0 || (waiting.length > 0 && wait < workers * SHARE_THAT_WAITS);
    const { test, seconds } = (slot.waits ? waiting : computing).shift();
    slot.freeAt += seconds;
    order.push(test);
  }
  return order;
}

/** The tests that a pattern of the list fits, in its order, with their seconds. */
function ranked(tests, list) {
  const patterns = Object.entries(list).map(([pattern, seconds]) => ({ pattern: new RegExp(pattern), seconds }));
  return tests
    .map((test) => ({ test, rank: patterns.findIndex(({ pattern }) => pattern.test(test.path)) }))
    .filter(({ rank }) => rank >= 0)
    .sort((left, right) => left.rank - right.rank)
    .map(({ test, rank }) => ({ test, seconds: patterns[rank].seconds }));
}
