import type { RequestHandler } from 'express';
import type { ApiMetrics } from '../api-metrics.ts';
import { statusClass } from './status-class.ts';

/** Measures a request from its head to the end of its answer, or to where the client went away. */
export function measureRequest({ apiMetrics }: { apiMetrics: ApiMetrics }, operation: string): RequestHandler {
  return (_request, response, next) => {
    const begunAtMs = performance.now();
    response.once('close', () => {
      const status = response.writableFinished ? statusClass(response.statusCode) : 'client_gone';
      apiMetrics.requestSeconds.of(operation, status).observe((performance.now() - begunAtMs) / 1000);
    });
    next();
  };
}
