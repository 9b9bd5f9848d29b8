/** Ids, counts and words of our own: never an address, a body or an error's message, which may carry tokens. */
export type SpanAttributes = Record<string, string | number | boolean>;

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type SpanOptions = {
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** Unix ms; now when left out. */
  startedAtMs?: number;
};

/** A step of a trace that is being recorded. */
export type Span = {
  /** By which others go on with the trace (W3C Trace Context). */
  readonly traceparent: string;
  child(name: string, options?: SpanOptions): Span;
  set(attributes: SpanAttributes): void;
  end(outcome?: 'ok' | 'failed'): void;
};

export type Tracing = {
  /**
   * Begins a span of the trace that `parent` (a traceparent) names, or of a new one where it names none. Null when the
   * sampler leaves it out: then nothing is recorded and nothing is carried on.
   */
  start(name: string, options?: SpanOptions & { parent?: string | null; links?: string[] }): Span | null;
  /** Exports what is recorded, within a second, and lets go of the collector. */
  close(): Promise<void>;
};

/** Does a part of a span's work in a child of it, which has failed when that rejects. */
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
