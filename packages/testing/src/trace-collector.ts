import { startBackend } from './backend.ts';
import { waitFor } from './wait-for.ts';

export type ExportedSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** '' for the first of its trace. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** Ids of the spans it is linked to. */
  links: string[];
  failed: boolean;
};

export type TraceCollector = {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is set to. */
  url: string;
  spans(): ExportedSpan[];
  /** The first span of this name that meets the condition, as soon as there is one. */
  span(name: string, meets?: (span: ExportedSpan) => boolean): Promise<ExportedSpan>;
  /** Everything that was sent here, headers included, as one text. */
  received(): string;
  /** From now on answers with this status. */
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

/** A collector of traces as OTLP/HTTP speaks to it, in JSON; it keeps what it is sent. */
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
