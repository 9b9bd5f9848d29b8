import type { Writable } from 'node:stream';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type ListObject, S3mini } from 's3mini';
import type { BackupSource, BackupStore, BackupTarget, HeldBackup } from './backup-folder.ts';
import { CHECKSUM_FILE } from './backup-manifest.ts';
import { repeatRequest } from './repeat-request.ts';
import { s3Download } from './s3-download.ts';
import { s3Upload } from './s3-upload.ts';

export interface S3Settings {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** `s3://bucket/prefix`. */
export interface S3Place {
  bucket: string;
  /** Without slashes at its ends; '' for the whole bucket. */
  prefix: string;
}

const PLACE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
const REMOVED_AT_ONCE = 500;

/** The place that `s3://bucket/prefix` names; null for anything else. */
export function parseS3Place(text: string): S3Place | null {
  const [, bucket, prefix = ''] = PLACE.exec(text) ?? [];
  return bucket === undefined ? null : { bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
}

/** A prefix of a bucket as the source of one backup. */
export function s3Source(settings: S3Settings, place: S3Place): BackupSource {
  const client = clientOf(settings, place.bucket);
  return {
    name: nameOf(place),
    read: (file) => s3Download(client, keyOf(place.prefix, file)),
  };
}

/** A prefix of a bucket that holds backups. */
export function s3Store(settings: S3Settings, place: S3Place): BackupStore {
  const client = clientOf(settings, place.bucket);
  const objectsUnder = async (prefix: string): Promise<ListObject[]> => {
    const found = await repeatRequest(() => client.listObjects('/', prefix === '' ? '' : `${prefix}/`));
    if (found === null) throw new FlotillaError('bad_request', `There is no bucket ${place.bucket}`);
    return found;
  };
  const removeAll = async (prefix: string): Promise<void> => {
    const keys = (await objectsUnder(prefix)).map(({ Key }) => Key);
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
      await repeatRequest(() => removeSome(client, keys.slice(at, at + REMOVED_AT_ONCE)));
    }
  };
  return {
    list: async () => heldBackups(await objectsUnder(place.prefix), place.prefix),
    create: async (name) => {
      const prefix = keyOf(place.prefix, name);
      if ((await objectsUnder(prefix)).length > 0) {
        throw new FlotillaError('conflict', `${nameOf({ ...place, prefix })} exists already`);
      }
      return s3Target(client, prefix, () => removeAll(prefix));
    },
    remove: async (name) => {
      const prefix = keyOf(place.prefix, name);
      // Without its checksums it is no backup any more, if this is interrupted.
      await repeatRequest(() => client.deleteObject(keyOf(prefix, CHECKSUM_FILE)));
      await removeAll(prefix);
    },
  };
}

// The checksums are written last and make it a backup, so nothing is left to do.
function s3Target(client: S3mini, prefix: string, abandon: () => Promise<void>): BackupTarget {
  return { open: (file): Writable => s3Upload(client, keyOf(prefix, file)), complete: async () => {}, abandon };
}

/** The objects under a prefix: `<name>/<file>` is a file of a backup. */
function heldBackups(objects: ListObject[], prefix: string): HeldBackup[] {
  const under = prefix === '' ? 0 : prefix.length + 1;
  const files = objects.map(({ Key, LastModified }) => {
    const [name = '', ...file] = Key.slice(under).split('/');
    return { name, file: file.join('/'), changedAtMs: LastModified.getTime() };
  });
  const named = Map.groupBy(
    files.filter(({ file }) => file !== ''),
    ({ name }) => name,
  );
  return [...named].map(([name, all]) => ({
    name,
    unfinishedAtMs: all.some(({ file }) => file === CHECKSUM_FILE)
      ? null
      : Math.max(...all.map(({ changedAtMs }) => changedAtMs)),
  }));
}

async function removeSome(client: S3mini, keys: string[]): Promise<void> {
  const removed = await client.deleteObjects(keys);
  const kept = keys[removed.indexOf(false)];
  if (kept !== undefined) throw new FlotillaError('unavailable', `${kept} could not be removed`);
}

function clientOf({ endpoint, ...others }: S3Settings, bucket: string): S3mini {
  return new S3mini({ ...others, endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}` });
}

function keyOf(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}/${name}`;
}

function nameOf({ bucket, prefix }: S3Place): string {
  return `s3://${bucket}/${prefix}`;
}
