import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beginProgram } from '@flotilla/runtime/begin-program.mjs';

// The smallest server of node:http, in a process of its own: it knows nothing and keeps nothing. It answers /stored with
// the text of the last message from its parent, at once, and holds every other request until the process ends.

// Like an api, so that only the programs differ.
beginProgram('api');
let stored = '';
/** Held requests stay reachable, as those of a real server do. */
const held: ServerResponse[] = [];

const server = createServer((request, response) => {
  if (request.url !== '/stored') {
    held.push(response);
    return;
  }
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(stored)) });
  response.end(stored);
});

process.on('message', (text: string) => {
  stored = text;
  process.send?.('stored');
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
