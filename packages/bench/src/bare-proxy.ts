import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beginProgram } from '@flotilla/runtime/begin-program.mjs';
import { type Dispatcher, Pool } from 'undici';

// The smallest proxy of node:http and undici, in a process of its own. It knows no bots, checks and counts nothing, and
// drops calls that it cannot pass on. Usage: `node bare-proxy.ts <origin of the platform>`.

const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'host', 'transfer-encoding']);

// Like an api, so that only the programs differ.
beginProgram('api');
const pool = new Pool(process.argv[2] ?? '', { pipelining: 1 });

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const headers: string[] = [];
    for (let at = 0; at < req.rawHeaders.length; at += 2) {
      const name = req.rawHeaders[at] as string;
      if (!CONNECTION_HEADERS.has(name.toLowerCase())) headers.push(name, req.rawHeaders[at + 1] as string);
    }
    const body = Buffer.concat(chunks);
    pool.dispatch({ path: req.url ?? '/', method: methodOf(req), headers, body }, answerTo(res));
  });
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());

function methodOf(req: IncomingMessage): Dispatcher.HttpMethod {
  return req.method as Dispatcher.HttpMethod;
}

function answerTo(res: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart: () => {},
    onResponseStart: (_controller, status, headers) => {
      delete headers.connection;
      res.writeHead(status, headers);
    },
    onResponseData: (_controller, chunk) => {
      res.write(chunk);
    },
    onResponseEnd: () => {
      res.end();
    },
    onResponseError: () => {
      res.destroy();
    },
  };
}
