import { Readable, type Writable } from 'node:stream';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { S3mini } from 's3mini';
import type { BackupSource, BackupStore, BackupTarget } from './backup-folder.ts';
import { CHECKSUM_FILE } from './backup-manifest.ts';
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
    read: (file) => Readable.from(readObject(client, keyOf(place.prefix, file))),
  };
}

/** A prefix of a bucket that holds backups. */
export function s3Store(settings: S3Settings, place: S3Place): BackupStore {
  const client = clientOf(settings, place.bucket);
  const keysUnder = async (prefix: string): Promise<string[]> => {
    const found = await client.listObjects('/', prefix === '' ? '' : `${prefix}/`);
    if (found === null) throw new FlotillaError('bad_request', `There is no bucket ${place.bucket}`);
    return found.map(({ Key }) => Key);
  };
  const removeAll = async (keys: string[]): Promise<void> => {
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
      const some = keys.slice(at, at + REMOVED_AT_ONCE);
      const removed = await client.deleteObjects(some);
      const kept = some[removed.indexOf(false)];
      if (kept !== undefined) throw new FlotillaError('unavailable', `${kept} could not be removed`);
    }
  };
  return {
    list: async () => {
      const under = place.prefix === '' ? '' : `${place.prefix}/`;
      const names = (await keysUnder(place.prefix)).map((key) => key.slice(under.length).split('/'));
      return names.flatMap(([name, file, ...more]) =>
        name !== undefined && file === CHECKSUM_FILE && more.length === 0 ? [name] : [],
      );
    },
    create: async (name) => {
      const prefix = keyOf(place.prefix, name);
      if ((await keysUnder(prefix)).length > 0) {
        throw new FlotillaError('conflict', `${nameOf({ ...place, prefix })} exists already`);
      }
      return s3Target(client, prefix, async () => removeAll(await keysUnder(prefix)));
    },
    remove: async (name) => {
      const prefix = keyOf(place.prefix, name);
      // Without its checksums it is no backup any more, if this is interrupted.
      await client.deleteObject(keyOf(prefix, CHECKSUM_FILE));
      await removeAll(await keysUnder(prefix));
    },
  };
}

// The checksums are written last and make it a backup, so nothing is left to do.
function s3Target(client: S3mini, prefix: string, abandon: () => Promise<void>): BackupTarget {
  return { open: (file): Writable => s3Upload(client, keyOf(prefix, file)), complete: async () => {}, abandon };
}

async function* readObject(client: S3mini, key: string): AsyncGenerator<Uint8Array, void, undefined> {
  const response = await client.getObjectResponse(key);
  if (response?.body == null) throw Object.assign(new Error(`there is no ${key}`), { code: 'ENOENT' });
  yield* response.body;
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
