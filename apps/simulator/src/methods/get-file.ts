import { badRequest } from '../bot-api-error.ts';
import { readFile } from '../files/read-file.ts';
import { text } from '../http/params.ts';
import type { Call } from './call.ts';

/** Returns a download path for files up to 20 MiB, the cloud's limit (Client.cpp:10031-10047). */
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

/** The sticker becomes a file that a set can name later. */
export async function uploadStickerFile(call: Call): Promise<unknown> {
  const { fileId, uniqueId, bytes } = await readFile(call, 'sticker', 'sticker');
  return { file_id: fileId, file_unique_id: uniqueId, file_size: bytes.length };
}
