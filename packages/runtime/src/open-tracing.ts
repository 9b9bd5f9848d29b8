import type { Logger } from './logger.ts';
import type { Tracing } from './tracing.ts';
import type { TracingConfig } from './tracing-settings.ts';

/** Starts tracing where it is configured. Only then is the SDK loaded: off, it costs neither time nor memory. */
export async function openTracing(
  config: TracingConfig | null,
  service: { name: string; log: Logger },
): Promise<Tracing | null> {
  if (config === null) return null;
  const { startTracing } = await import('./otlp-tracing.ts');
  return startTracing(config, service);
}
