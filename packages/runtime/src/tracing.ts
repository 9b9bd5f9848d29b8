/** Only our own ids, counts and words. Never addresses, bodies or error messages, which may contain tokens. */
export type SpanAttributes = Record<string, string | number | boolean>;

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type SpanOptions = {
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** Unix ms; the default is now. */
  startedAtMs?: number;
};

/** A step of a trace that is being recorded. */
export type Span = {
  /** The text by which another process continues the trace (W3C Trace Context). */
  readonly traceparent: string;
  child(name: string, options?: SpanOptions): Span;
  set(attributes: SpanAttributes): void;
  end(outcome?: 'ok' | 'failed'): void;
};

export type Tracing = {
  /**
   * Begins a span in the trace that `parent` (a traceparent) names, or in a new trace. Returns null when the sampler
   * leaves the trace out; then nothing is recorded and no context is passed on.
   */
  start(name: string, options?: SpanOptions & { parent?: string | null; links?: string[] }): Span | null;
  /** Exports the recorded spans within a second and closes the connection to the collector. */
  close(): Promise<void>;
};

/** Runs a part of a span's work in a child span, which fails if the work rejects. */
export async function inChild<T>(parent: Span, name: string, work: (span: Span) => Promise<T>): Promise<T> {
  const span = parent.child(name);
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end('failed');
    throw error;
  }
}
