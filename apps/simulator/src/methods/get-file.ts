import { badRequest } from '../bot-api-error.ts';
import { putOnDisk } from '../files/put-on-disk.ts';
import { readFile } from '../files/read-file.ts';
import { text } from '../http/params.ts';
import type { Call } from './call.ts';

/**
 * Returns a download path for files up to 20 MiB, the cloud's limit, or the absolute path of any file on a server in local mode
 * (Client.cpp:10031-10047, 16663-16689).
 */
export async function getFile({ sim, bot, params }: Call): Promise<unknown> {
  const id = text(params, 'file_id');
  if (id === '') throw badRequest('file_id not specified');
  const file = sim.files.get(id);
  if (file === undefined) throw badRequest('invalid file_id');
  const { workingDir, maxDownloadBytes } = sim.settings;
  if (workingDir === null && file.bytes.length > maxDownloadBytes) throw badRequest('file is too big');
  return {
    file_id: file.fileId,
    file_unique_id: file.uniqueId,
    file_size: file.bytes.length,
    file_path: workingDir === null ? file.path : await putOnDisk(workingDir, bot, file),
  };
}

/** The sticker becomes a file that a set can name later. */
export async function uploadStickerFile(call: Call): Promise<unknown> {
  const { fileId, uniqueId, bytes } = await readFile(call, 'sticker', 'sticker');
  return { file_id: fileId, file_unique_id: uniqueId, file_size: bytes.length };
}
