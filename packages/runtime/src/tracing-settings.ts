import { z } from 'zod';
import { urlSetting } from './settings.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof SAMPLERS)[number];

/** OpenTelemetry's own variables, with the names of its specification. Its other variables have no effect here. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting('http', 'https')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('The collector of traces, such as http://collector:4318; tracing is off without it.'),
  OTEL_EXPORTER_OTLP_HEADERS: pairsSetting().describe('Headers for the collector, such as a key.'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe('The name of the process in traces; by default flotilla-api or flotilla-worker.'),
  OTEL_RESOURCE_ATTRIBUTES: pairsSetting().describe('Further attributes of the process in traces.'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`)
    .default('parentbased_always_on')
    .describe('Which traces are kept; the parentbased_ samplers follow the decision of a caller.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(Number)
    .refine((ratio) => ratio >= 0 && ratio <= 1, 'must be a number from 0 to 1')
    .default(1)
    .describe('The share of traces that traceidratio keeps.'),
} as const;

export type TracingConfig = {
  /** The URL of the collector, with its path. */
  url: string;
  headers: Record<string, string>;
  /** Null when the process uses its own name. */
  serviceName: string | null;
  resourceAttributes: Record<string, string>;
  sampler: SamplerName;
  /** The sampled part, from 0 to 1, of traces that begin here; for the samplers by ratio. */
  ratio: number;
};

type Settings = z.output<z.ZodObject<typeof tracingSettings>>;

/** Null when tracing is off: no endpoint is set. */
export function tracingConfig(settings: Settings): TracingConfig | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return null;
  return {
    url: `${endpoint}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: settings.OTEL_SERVICE_NAME ?? null,
    resourceAttributes: settings.OTEL_RESOURCE_ATTRIBUTES,
    sampler: settings.OTEL_TRACES_SAMPLER,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** `name=value,name=value`; values may be percent-encoded. */
function pairsSetting() {
  return z
    .string()
    .regex(/^\s*[^=,\s]+\s*=[^,]*(,\s*[^=,\s]+\s*=[^,]*)*$/, 'must be name=value pairs, separated by commas')
    .refine((value) => decoded(value) !== null, 'has a % that encodes no character')
    .transform((value) => decoded(value) ?? {})
    .default({});
}

function decoded(pairs: string): Record<string, string> | null {
  try {
    return Object.fromEntries(
      pairs.split(',').map((pair) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      }),
    );
  } catch {
    return null;
  }
}
