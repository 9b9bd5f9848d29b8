import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;

/** The content of one file in a zip archive of less than 4 GB, without a comment (PKWARE APPNOTE.TXT). Throws when it is not there. */
export function unzip(archive, name) {
  const file = openSync(archive, 'r');
  const read = (length, position) => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, position);
    return bytes;
  };
  try {
    const end = read(END_BYTES, fstatSync(file).size - END_BYTES);
    if (end.readUInt32LE(0) !== END_OF_DIRECTORY) throw new Error(`${archive} is no zip archive`);
    const entry = entriesOf(read(end.readUInt32LE(12), end.readUInt32LE(16))).find((one) => one.name === name);
    if (entry === undefined) throw new Error(`${archive} has no ${name}`);
    const header = read(LOCAL_HEADER_BYTES, entry.offset);
    const start = entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    const content = read(entry.compressedBytes, start);
    return entry.method === 0 ? content : inflateRawSync(content);
  } finally {
    closeSync(file);
  }
}

function entriesOf(directory) {
  const entries = [];
  for (let at = 0; at < directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
    const nameBytes = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes),
      method: directory.readUInt16LE(at + 10),
      compressedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}
