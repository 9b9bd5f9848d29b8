import { basename, dirname, resolve } from 'node:path';
import {
  type BackupSource,
  type BackupStore,
  folderSource,
  folderStore,
} from '@flotilla/database/backup/backup-folder.ts';
import { parseS3Place, s3Source, s3Store } from '@flotilla/database/backup/s3-store.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readS3Settings } from './maintenance-settings.ts';

/** The place that holds backups: a directory, or `s3://bucket/prefix`. */
export function storeAt(place: string): BackupStore {
  const s3 = s3PlaceOf(place);
  return s3 === null ? folderStore(resolve(place)) : s3Store(readS3Settings(), s3);
}

/** A backup by its own place, as the place that holds it and its name there. */
export function splitPlace(place: string): { store: BackupStore; name: string } {
  const s3 = s3PlaceOf(place);
  if (s3 === null) return { store: storeAt(dirname(resolve(place))), name: basename(resolve(place)) };
  const parts = s3.prefix.split('/');
  const name = parts.pop();
  if (!name) throw new FlotillaError('bad_request', `Name the backup within the bucket: ${place}/<name>`);
  return { store: s3Store(readS3Settings(), { ...s3, prefix: parts.join('/') }), name };
}

export function sourceAt(place: string): BackupSource {
  const s3 = s3PlaceOf(place);
  return s3 === null ? folderSource(place) : s3Source(readS3Settings(), s3);
}

/** The place of one backup of those that a place holds. */
export function placeIn(place: string, name: string): string {
  return `${place.replace(/\/+$/, '')}/${name}`;
}

function s3PlaceOf(place: string) {
  const s3 = parseS3Place(place);
  if (s3 === null && place.startsWith('s3:')) {
    throw new FlotillaError('bad_request', `${place} is no place: write s3://bucket/prefix`);
  }
  return s3;
}
