import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readSettings } from './env.ts';
import { tracingConfig, tracingSettings } from './tracing-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
const configOf = (env: Record<string, string>) => tracingConfig(readSettings(z.object(tracingSettings), env));

describe('the settings of tracing', () => {
  test('leave it off without an endpoint', () => {
    expect(configOf({})).toBeNull();
    expect(configOf({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_SERVICE_NAME: 'x' })).toBeNull();
  });

  test('keep every trace that begins here unless they say otherwise', () => {
    expect(configOf(ENDPOINT)).toEqual({
      url: 'http://collector:4318/v1/traces',
      headers: {},
      serviceName: null,
      resourceAttributes: {},
      sampler: 'parentbased_always_on',
      ratio: 1,
    });
    expect(
      configOf({ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }),
    ).toMatchObject({
      sampler: 'traceidratio',
      ratio: 0.25,
    });
  });

  test('take pairs with encoded values', () => {
    const config = configOf({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dTpw, x-scope=a=b',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production',
    });
    expect(config?.headers).toEqual({ authorization: 'Basic dTpw', 'x-scope': 'a=b' });
    expect(config?.resourceAttributes).toEqual({ 'deployment.environment.name': 'production' });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret without a name'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'name=%E0%A4%A'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ])('refuse %s=%s by name', (name, value) => {
    expect(() => configOf({ ...ENDPOINT, [name]: value })).toThrow(name);
  });
});
