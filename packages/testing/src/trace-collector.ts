import { startBackend } from './backend.ts';
import { waitFor } from './wait-for.ts';

export type ExportedSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** '' for the root span of a trace. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** Ids of the linked spans. */
  links: string[];
  failed: boolean;
};

export type TraceCollector = {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans(): ExportedSpan[];
  /** Waits for the first span with this name that meets the condition. */
  span(name: string, meets?: (span: ExportedSpan) => boolean): Promise<ExportedSpan>;
  /** All received requests, headers included, as one text. */
  received(): string;
  /** Sets the status of all later responses. */
  answerWith(status: number): void;
  stop(): Promise<void>;
};

type Attribute = { key: string; value: Record<string, unknown> };
type Exported = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        attributes?: Attribute[];
        links?: { spanId: string }[];
        status?: { code?: number };
      }[];
    }[];
  }[];
};

const STATUS_ERROR = 2;

/** A trace collector for OTLP/HTTP with JSON; it stores what it receives. */
export async function startTraceCollector(): Promise<TraceCollector> {
  let status = 200;
  const server = await startBackend((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  const spans = () => server.requests.flatMap(({ text }) => spansOf(JSON.parse(text) as Exported));
  return {
    url: server.url,
    spans,
    span: async (name, meets = () => true) => {
      const find = () => spans().find((span) => span.name === name && meets(span));
      return (await waitFor(find, { timeoutMs: 15_000, message: `the span "${name}"` })) as ExportedSpan;
    },
    received: () => server.requests.map(({ url, headers, text }) => url + JSON.stringify(headers) + text).join('\n'),
    answerWith: (given) => {
      status = given;
    },
    stop: () => server.stop(),
  };
}

function spansOf({ resourceSpans }: Exported): ExportedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service: String(valuesOf(resource.attributes)['service.name']),
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        attributes: valuesOf(span.attributes ?? []),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        failed: span.status?.code === STATUS_ERROR,
      })),
    ),
  );
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
