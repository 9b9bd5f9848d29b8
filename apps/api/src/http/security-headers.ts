import type { RequestHandler } from 'express';

/** No answer is a page, so browsers must not frame, sniff, cache or embed it. */
export const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Sets the headers that make browsers protect people; with HTTPS also Strict-Transport-Security. */
export function securityHeaders(config: { publicUrl: string | null }): RequestHandler {
  const isHttps = config.publicUrl?.startsWith('https:') ?? false;
  return (_request, response, next) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    if (isHttps) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
    next();
  };
}
