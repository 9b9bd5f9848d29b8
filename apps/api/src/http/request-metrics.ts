import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { RequestHandler } from 'express';

const BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Seconds from a request's head to the end of its answer, by operation and status. */
export function requestDuration(metrics: Metrics) {
  return metrics.histogram({
    name: 'flotilla_rest_request_seconds',
    help: 'Duration of REST requests; long polls include their waiting.',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS_S,
  });
}

export function measureRequest(
  context: { requestDuration: ReturnType<typeof requestDuration> },
  operation: string,
): RequestHandler {
  return (_request, response, next) => {
    const stop = context.requestDuration.startTimer({ operation });
    response.once('close', () => stop({ status: String(response.statusCode) }));
    next();
  };
}
