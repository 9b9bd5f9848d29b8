import { badRequest } from '../bot-api-error.ts';
import { text } from '../http/params.ts';
import type { Call } from './call.ts';

/** Hands out a download path, for files up to 20 MiB as the cloud does (Client.cpp:10031-10047). */
export function getFile({ sim, params }: Call): unknown {
  const id = text(params, 'file_id');
  if (id === '') throw badRequest('file_id not specified');
  const file = sim.files.get(id);
  if (file === undefined) throw badRequest('invalid file_id');
  if (file.bytes.length > sim.settings.maxDownloadBytes) throw badRequest('file is too big');
  return {
    file_id: file.fileId,
    file_unique_id: file.uniqueId,
    file_size: file.bytes.length,
    file_path: file.path,
  };
}
