import { DEFAULT_UPSTREAM } from '@flotilla/contract/upstreams.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { CAPTURED_METHOD_NAMES } from './captured-methods.ts';
import { ABORTED, type PlatformAnswer } from './platform-answer.ts';
import type { OpenedFile, PlatformClient } from './platform-client.ts';
import type { PollingClient } from './polling-client.ts';

const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const OUTCOMES = ['ok', 'refused', 'flood', 'unreachable', 'garbage'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** A backend may answer an update with any method name, so methods that are not listed share the label `other`. */
const LABELLED = new Set([
  ...CAPTURED_METHOD_NAMES,
  ...['getMe', 'getUpdates', 'setWebhook', 'deleteWebhook', 'getWebhookInfo', 'getFile', 'getChat', 'getChatMember'],
  ...[
    'getChatAdministrators',
    'sendChatAction',
    'answerCallbackQuery',
    'answerInlineQuery',
    'setMessageReaction',
    'downloadFile',
  ],
]);

/** Counts the calls that the service makes on its own behalf, by outcome. */
export function measurePlatform(metrics: Metrics) {
  const calls = metrics.quickCounter({
    name: 'flotilla_platform_calls_total',
    help: 'Calls to the platform on our own behalf: ok, refused, flood (429), unreachable, garbage; unknown methods are other; upstream is default or a name in TELEGRAM_UPSTREAMS.',
    labelNames: ['upstream', 'method', 'outcome'],
  });
  const seconds = metrics.quickHistogram({
    name: 'flotilla_platform_call_seconds',
    help: 'Seconds that a call to the platform took; kind poll is getUpdates and includes its waiting.',
    labelNames: ['upstream', 'kind'],
    buckets: BUCKETS_S,
  });
  for (const outcome of OUTCOMES) calls.of(DEFAULT_UPSTREAM, 'getUpdates', outcome);
  const count = <Answer>(
    upstream: string,
    kind: string,
    method: string,
    outcomeOf: (answer: Answer) => Outcome | null,
  ) => {
    const begunAtMs = performance.now();
    return (answer: Answer): Answer => {
      const outcome = outcomeOf(answer);
      if (outcome === null) return answer;
      calls.of(upstream, LABELLED.has(method) ? method : 'other', outcome).inc();
      seconds.of(upstream, kind).observe((performance.now() - begunAtMs) / 1000);
      return answer;
    };
  };
  return {
    client: (client: PlatformClient, upstream: string): PlatformClient => ({
      call: (token, method, params, options) =>
        client.call(token, method, params, options).then(count(upstream, 'call', method, outcomeOfAnswer)),
      upload: (token, method, params, files, options) =>
        client.upload(token, method, params, files, options).then(count(upstream, 'upload', method, outcomeOfAnswer)),
      openFile: (token, path, part) =>
        client.openFile(token, path, part).then(count(upstream, 'file', 'downloadFile', outcomeOfFile)),
    }),
    polling: (client: PollingClient, upstream: string): PollingClient => ({
      getUpdates: (token, params, options) =>
        client.getUpdates(token, params, options).then(count(upstream, 'poll', 'getUpdates', outcomeOfAnswer)),
      close: () => client.close(),
    }),
  };
}

/** null: we aborted the call ourselves. */
function outcomeOfAnswer(answer: PlatformAnswer): Outcome | null {
  if (answer.outcome === 'refused') return answer.errorCode === 429 ? 'flood' : 'refused';
  return answer.outcome === 'unreachable' && answer.reason === ABORTED ? null : answer.outcome;
}

function outcomeOfFile(opened: OpenedFile): Outcome {
  if (opened.outcome === 'open') return 'ok';
  return opened.outcome === 'refused' && opened.status === 429 ? 'flood' : opened.outcome;
}
