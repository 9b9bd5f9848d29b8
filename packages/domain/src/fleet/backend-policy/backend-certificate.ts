import { X509Certificate } from 'node:crypto';

/** The largest certificate that setWebhook accepts, in bytes. */
export const CERTIFICATE_BYTES_AT_MOST = 64 * 1024;
/** Enough for a certificate with every authority above it; a longer file is a collection. */
const CERTIFICATES_AT_MOST = 10;

const BEGIN = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/g;

export type ReadCertificate = { outcome: 'read'; pem: string } | { outcome: 'unreadable' } | { outcome: 'too-many' };

/** Encodes every certificate in a PEM text, or the one in DER. Any other content is dropped. */
export function readCertificate(content: Buffer): ReadCertificate {
  const blocks = certificateBlocks(content.toString('latin1'));
  if (blocks.length > CERTIFICATES_AT_MOST) return { outcome: 'too-many' };
  try {
    return { outcome: 'read', pem: encoded(blocks.length === 0 ? [content] : blocks) };
  } catch {
    return { outcome: 'unreadable' };
  }
}

function encoded(certificates: (string | Buffer)[]): string {
  return [...new Set(certificates.map((certificate) => new X509Certificate(certificate).toString()))].join('');
}

function certificateBlocks(text: string): string[] {
  const blocks: string[] = [];
  let end = 0;
  for (const { 0: begin, index } of text.matchAll(BEGIN)) {
    if (index < end) continue;
    const closing = begin.replace('BEGIN', 'END');
    const closed = text.indexOf(closing, index);
    if (closed === -1) break;
    end = closed + closing.length;
    blocks.push(text.slice(index, end));
  }
  return blocks;
}
