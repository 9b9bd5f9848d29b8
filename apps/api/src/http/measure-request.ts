import type { RequestHandler } from 'express';
import type { ApiMetrics } from '../api-metrics.ts';

/** Measures a request from its head to the end of its answer, or to where the client went away. */
export function measureRequest({ apiMetrics }: { apiMetrics: ApiMetrics }, operation: string): RequestHandler {
  return (_request, response, next) => {
    const stop = apiMetrics.requestSeconds.startTimer({ operation });
    response.once('close', () => stop({ status: String(response.statusCode) }));
    next();
  };
}
