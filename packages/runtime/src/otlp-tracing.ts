import { hostname } from 'node:os';
import { pid } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from './logger.ts';
import type { Span, SpanKind, SpanOptions, Tracing } from './tracing.ts';
import type { TracingConfig } from './tracing-settings.ts';

/** The most spans that wait for a collector that is away, less than a busy minute. Further spans are dropped. */
const SPANS_KEPT = 8192;
const EXPORT_EVERY_MS = 1000;
const EXPORT_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 1000;
const COMPLAIN_EVERY_MS = 60_000;

const KINDS: Record<SpanKind, OtelSpanKind> = {
  internal: OtelSpanKind.INTERNAL,
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
};

/** Records spans and sends them to a collector over OTLP/HTTP. Spans that cannot be sent are lost and delay nothing. */
export function startTracing(config: TracingConfig, service: { name: string; log: Logger }): Tracing {
  const exporter = new OTLPTraceExporter({ url: config.url, headers: config.headers, timeoutMillis: EXPORT_WITHIN_MS });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.instance.id': `${hostname()}:${pid}`,
        ...config.resourceAttributes,
        'service.name': config.serviceName ?? config.resourceAttributes['service.name'] ?? service.name,
      }),
    ),
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: complaining(exporter, service.log),
        maxQueueSize: SPANS_KEPT,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_WITHIN_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('flotilla');
  return {
    start: (name, options = {}) => {
      const begun = begin(tracer, name, options, contextOf(options.parent ?? null), options.links);
      return begun.isRecording() ? spanOf(tracer, begun) : null;
    },
    close: async () => {
      const deadline = new AbortController();
      const closed = provider.shutdown().catch(() => undefined);
      await Promise.race([closed, delay(CLOSE_WITHIN_MS, undefined, deadline).catch(() => undefined)]);
      deadline.abort();
    },
  };
}

function spanOf(tracer: Tracer, span: OtelSpan): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    child: (name, options = {}) => spanOf(tracer, begin(tracer, name, options, trace.setSpan(ROOT_CONTEXT, span))),
    set: (attributes) => span.setAttributes(attributes),
    end: (outcome = 'ok') => {
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function begin(
  tracer: Tracer,
  name: string,
  { kind = 'internal', attributes, startedAtMs }: SpanOptions,
  context: typeof ROOT_CONTEXT,
  links: string[] = [],
): OtelSpan {
  return tracer.startSpan(
    name,
    {
      kind: KINDS[kind],
      links: links.flatMap((link) => parseTraceParent(link) ?? []).map((context) => ({ context })),
      ...(attributes === undefined ? {} : { attributes }),
      ...(startedAtMs === undefined ? {} : { startTime: startedAtMs }),
    },
    context,
  );
}

function contextOf(traceparent: string | null): typeof ROOT_CONTEXT {
  const parent = traceparent === null ? null : parseTraceParent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

/** Logs at most once a minute that the collector does not accept spans. */
function complaining(exporter: SpanExporter, log: Logger): SpanExporter {
  let lost = 0;
  let quietUntilMs = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) {
          lost += spans.length;
          if (performance.now() >= quietUntilMs) {
            log.warn({ lost, reason: result.error?.message }, 'traces could not be exported');
            quietUntilMs = performance.now() + COMPLAIN_EVERY_MS;
            lost = 0;
          }
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined ? {} : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
