import type { Logger } from './logger.ts';
import type { Tracing } from './tracing.ts';
import type { TracingConfig } from './tracing-settings.ts';

/** Starts tracing if it is configured. Only then is the SDK loaded, so that tracing that is off costs nothing. */
export async function openTracing(
  config: TracingConfig | null,
  service: { name: string; log: Logger },
): Promise<Tracing | null> {
  if (config === null) return null;
  const { startTracing } = await import('./otlp-tracing.ts');
  return startTracing(config, service);
}
