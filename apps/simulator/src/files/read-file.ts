import { readFile as readBytes } from 'node:fs/promises';
import { basename } from 'node:path';
import { badRequest } from '../bot-api-error.ts';
import { text } from '../http/params.ts';
import type { Call } from '../methods/call.ts';
import type { SimFile } from './sim-file.ts';
import { storeFile } from './store-file.ts';

/** The file in `field` of a call: an upload, `attach://`, a known file id, or a URL to fetch. */
export async function readFile(call: Call, kind: string, field: string): Promise<SimFile> {
  const value = text(call.params, field);
  if (value === '') {
    const upload = call.params.files.get(field);
    if (upload === undefined) throw badRequest(`there is no ${kind.replace('_', ' ')} in the request`);
    return storeUpload(call, kind, upload);
  }
  return readFileReference(call, kind, value);
}

/** Like readFile, for a reference inside JSON, as in sendMediaGroup. */
export async function readFileReference(call: Call, kind: string, reference: string): Promise<SimFile> {
  if (reference.startsWith('attach://')) {
    const upload = call.params.files.get(reference.slice('attach://'.length));
    if (upload === undefined) throw badRequest('wrong file identifier/HTTP URL specified');
    return storeUpload(call, kind, upload);
  }
  if (/^https?:\/\//.test(reference)) return fetchFile(call, kind, reference);
  if (call.sim.settings.workingDir !== null && /^file:/i.test(reference)) return readFromDisk(call, kind, reference);
  const known = call.sim.files.get(reference);
  if (known === undefined) throw badRequest('wrong file identifier/HTTP URL specified');
  return known;
}

function storeUpload(call: Call, kind: string, upload: { name: string; mime: string; bytes: Buffer }): SimFile {
  if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
  return storeFile(call.sim, kind, upload);
}

async function fetchFile(call: Call, kind: string, url: string): Promise<SimFile> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
  if (response === null || !response.ok) throw badRequest('failed to get HTTP URL content');
  const bytes = Buffer.from(await response.arrayBuffer());
  const mime = (response.headers.get('content-type') ?? '').split(';')[0]!;
  return storeUpload(call, kind, { name: new URL(url).pathname.split('/').at(-1) ?? '', mime, bytes });
}

/** A server in local mode takes `file:` with any number of slashes (Client.cpp:10031). */
async function readFromDisk(call: Call, kind: string, reference: string): Promise<SimFile> {
  const path = `/${decodeURIComponent(reference.slice('file:'.length)).replace(/^\/+/, '')}`;
  const bytes = await readBytes(path).catch(() => null);
  if (bytes === null) throw badRequest('wrong file identifier/HTTP URL specified');
  return storeUpload(call, kind, { name: basename(path), mime: 'application/octet-stream', bytes });
}
