// Says in which order test files start. Paths are patterns.

/** Files that mostly wait, each with its seconds on a quiet machine, of which a third at most are processor time. */
export const MOSTLY_WAIT = {
  'system-tests/src/(killed-processes|load-and-faults|secrets)\\.fault': 155,
  'system-tests/src/deliveries\\.test': 105,
  'system-tests/src/(strangers|live)\\.fault': 95,
  'system-tests/src/worker-log\\.test': 95,
  'system-tests/src/polling-pace\\.test': 90,
  'system-tests/src/program-backends\\.test': 80,
  'console/tests/errors\\.browser': 80,
  'system-tests/src/misbehaving-backends\\.fault': 75,
  'system-tests/src/fleet-overview\\.test': 75,
  'system-tests/src/platform-webhook\\.test': 70,
  'console/tests/program-trouble\\.browser': 60,
  'system-tests/src/postgres-away\\.fault': 55,
  'system-tests/src/get-updates-conformance\\.test': 55,
  'system-tests/src/lost-ids\\.test': 55,
  'simulator/src/conformance/conformance\\.test': 50,
  'system-tests/src/routing/routing\\.test': 50,
  'http/slow-clients\\.test': 45,
  'system-tests/src/metrics\\.test': 40,
  'system-tests/src/reply-calls\\.test': 40,
  'system-tests/src/routing/routed-content\\.test': 35,
  'worker/src/worker\\.test': 30,
  'system-tests/src/backend-credentials\\.test': 30,
  'system-tests/src/platform-faults\\.test': 25,
  'redis/src/(connect|turn-worker)\\.test': 25,
  'api/src/live/live\\.test': 25,
  'auth/ended-credentials\\.test': 20,
  'push/claim-for-backend\\.test': 20,
  'redis/src/subscription\\.test': 20,
  'bot-api-proxy/pass-through\\.test': 20,
  'backend-policy/own-endpoints\\.test': 15,
  'endpoints/send-files\\.test': 15,
  'programs/revoked-tokens\\.test': 15,
  'api/src/(auth/(key-descent|usernames)|http/(odd-requests|held-bodies)|outages|drain|start)\\.test': 10,
  'bot-api-proxy/(kept-calls|programs/program-refusals)\\.test': 10,
};

/** All others in this order, each with the seconds that one of them takes beside others, about. */
export const MOSTLY_COMPUTE = {
  '(/full-redis|rolling-restart)\\.fault': 140,
  'src/(tls/tls|sandbox|images/images)\\.test': 140,
  'console/tests/(live|inbox)\\.browser': 110,
  'system-tests/src/(key-rotation|update-samples|client-libraries)\\.test': 115,
  'console/tests/(deliveries|programs|console)\\.browser': 95,
  '(random-faults|ten-thousand-bots|release-before|redis-restart|redis-failover)\\.fault': 75,
  'system-tests/src/(start-without-stores|check-infra)\\.test': 80,
  '\\.browser\\.': 70,
  'system-tests/src/(programs-of-libraries|backup-and-restore|echo-bots/echo-bots-on-simulator)\\.test': 50,
  '\\.fault\\.': 45,
  '(endpoints/(every-operation|program-rights)|programs/token-scopes|backup/backup)\\.test': 25,
  'system-tests/': 15,
  'bot-api-proxy/': 4,
  '': 2,
};

/** Plays the run through: whenever one of the workers is free, it takes the longest of what mostly waits, or another file. */
export function interleave(tests, workers) {
  const waiting = ranked(tests, MOSTLY_WAIT);
  const computing = ranked(
    tests.filter((test) => !waiting.some((one) => one.test === test)),
    MOSTLY_COMPUTE,
  );
  // So many wait at once that both kinds end together: without the other, either would leave the processor idle at times.
  const waitAtOnce = Math.ceil((workers * secondsOf(waiting)) / secondsOf([...waiting, ...computing]));
  const slots = Array.from({ length: workers }, () => ({ freeAt: 0, waits: false }));
  const order = [];
  while (waiting.length + computing.length > 0) {
    const slot = slots.reduce((first, one) => (one.freeAt < first.freeAt ? one : first));
    const wait = slots.filter(({ freeAt, waits }) => waits && freeAt > slot.freeAt).length;
    slot.waits = computing.length === 0 || (waiting.length > 0 && wait < waitAtOnce);
    const { test, seconds } = (slot.waits ? waiting : computing).shift();
    slot.freeAt += seconds;
    order.push(test);
  }
  return order;
}

function secondsOf(ranks) {
  return ranks.reduce((sum, { seconds }) => sum + seconds, 0);
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
