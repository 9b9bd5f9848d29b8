import { createHash, randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import type { Simulator } from '../simulator.ts';
import type { SimFile } from './sim-file.ts';

const FOLDERS: Record<string, string> = {
  photo: 'photos',
  document: 'documents',
  video: 'videos',
  animation: 'animations',
  audio: 'music',
  voice: 'voice',
  video_note: 'video_notes',
  sticker: 'stickers',
};
const EXTENSIONS: Record<string, string> = {
  photo: '.jpg',
  video: '.mp4',
  animation: '.mp4',
  audio: '.mp3',
  voice: '.oga',
  video_note: '.mp4',
  sticker: '.webp',
};
const TYPES: Record<string, string> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
  '.mp3': 'audio/mpeg',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.json': 'application/json',
  '.zip': 'application/zip',
};

/** Stores the bytes of an upload under a new file id. */
export function storeFile(
  sim: Simulator,
  kind: string,
  upload: { name: string; mime?: string; bytes: Buffer },
): SimFile {
  const number = sim.nextFileNumber;
  sim.nextFileNumber += 1;
  sim.storage.saveCounters();
  const extension = (extname(upload.name) || EXTENSIONS[kind] || '').toLowerCase();
  const sha256 = createHash('sha256').update(upload.bytes).digest('hex');
  const declared = upload.mime === undefined || upload.mime === 'application/octet-stream' ? '' : upload.mime;
  const file: SimFile = {
    fileId: `Sim${kind.slice(0, 3)}${number}_${randomBytes(30).toString('base64url')}`,
    uniqueId: `AQ${sha256.slice(0, 14)}`,
    path: `${FOLDERS[kind] ?? 'documents'}/file_${number}${extension.replace(/[^.a-z0-9]/g, '')}`,
    name: upload.name,
    mime: TYPES[extension] ?? (declared || 'application/octet-stream'),
    bytes: upload.bytes,
    sha256,
  };
  sim.files.set(file.fileId, file);
  sim.filesByPath.set(file.path, file);
  sim.storage.saveFile(file);
  return file;
}
