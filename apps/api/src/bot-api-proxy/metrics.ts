import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { QuickCounter, QuickHistogram } from '@flotilla/runtime/quick-metrics.ts';
import { CAPTURED_METHODS } from '@flotilla/telegram/captured-methods.ts';
import { type StatusClass, statusClass } from '../http/observe-request.ts';

export type ProxyMetrics = {
  /** Counts a call that has ended. The method is in lower case; null for a file or a request that is no call. */
  call(kind: CallKind, method: string | null, status: number, begunAtMs: number): void;
  pollBegan(): void;
  pollEnded(): void;
};

/** The outcome of a request. */
export type CallKind = 'intercepted' | 'polled' | 'passed' | 'captured' | 'replayed' | 'file' | 'refused';

type Series = { seconds: QuickHistogram; calls: Partial<Record<MethodClass | 'file' | 'none', QuickCounter>> };

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function proxyMetrics(metrics: Metrics): ProxyMetrics {
  const calls = metrics.quickCounter({
    name: 'flotilla_proxy_calls_total',
    help: 'Bot API calls: intercepted, polled, passed, captured, replayed (by an Idempotency-Key), file or refused; by class of method and status.',
    labelNames: ['kind', 'method_class', 'status'],
  });
  const seconds = metrics.quickHistogram({
    name: 'flotilla_proxy_call_seconds',
    help: 'Seconds from the head of a Bot API call to the end of its answer; polls include their waiting.',
    labelNames: ['kind', 'status'],
    buckets: BUCKETS_S,
  });
  const polls = metrics.gauge({ name: 'flotilla_proxy_waiting_polls', help: 'getUpdates calls that are held open.' });
  for (const status of ['2xx', '5xx'] as const) {
    for (const method of METHOD_CLASSES) calls.of('passed', method, status);
  }
  const known = new Map<CallKind, Map<StatusClass, Series>>();
  const seriesOf = (kind: CallKind, status: StatusClass): Series => {
    const ofKind = known.get(kind) ?? new Map<StatusClass, Series>();
    const series = ofKind.get(status) ?? { seconds: seconds.of(kind, status), calls: {} };
    if (!ofKind.has(status)) known.set(kind, ofKind.set(status, series));
    return series;
  };
  return {
    call(kind, method, status, begunAtMs) {
      const ended = statusClass(status);
      const series = seriesOf(kind, ended);
      const named = method === null ? (kind === 'file' ? 'file' : 'none') : methodClass(method);
      series.calls[named] ??= calls.of(kind, named, ended);
      series.calls[named].inc();
      series.seconds.observe((performance.now() - begunAtMs) / 1000);
    },
    pollBegan: () => polls.inc(),
    pollEnded: () => polls.dec(),
  };
}

/** Method classes are labels. Method names cannot be, because clients may send any name. */
export const METHOD_CLASSES = [
  'updates',
  'webhook',
  'send',
  'edit',
  'delete',
  'chat',
  'get',
  'answer',
  'other',
] as const;
type MethodClass = (typeof METHOD_CLASSES)[number];

const INTERCEPTED: Record<string, MethodClass> = {
  getupdates: 'updates',
  setwebhook: 'webhook',
  deletewebhook: 'webhook',
  getwebhookinfo: 'webhook',
};
const BY_PREFIX: [prefix: string, MethodClass][] = [
  ['send', 'send'],
  ['copy', 'send'],
  ['forward', 'send'],
  ['edit', 'edit'],
  ['stop', 'edit'],
  ['delete', 'delete'],
  ['get', 'get'],
  ['answer', 'answer'],
];

const known = new Map<string, MethodClass>([
  ...[...CAPTURED_METHODS].map(
    ([method, { effect }]) => [method, effect === 'audit' ? 'chat' : byPrefix(method)] as const,
  ),
  ...Object.entries(INTERCEPTED),
]);

/** `lowerCaseMethod` may be anything that a client sends. */
export function methodClass(lowerCaseMethod: string): MethodClass {
  return known.get(lowerCaseMethod) ?? byPrefix(lowerCaseMethod);
}

function byPrefix(lowerCaseMethod: string): MethodClass {
  return BY_PREFIX.find(([prefix]) => lowerCaseMethod.startsWith(prefix))?.[1] ?? 'other';
}
