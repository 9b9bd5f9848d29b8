import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** A port whose kernel drops every SYN, as a firewall does: it listens, its queue is full, and nobody takes from that. */
export type FullBacklog = { port: number; stop(): Promise<void> };

/** The thread sleeps for good right after it listens, so the queue stays full. */
const LISTENS = `
  const { parentPort, workerData: port } = require('node:worker_threads');
  const server = require('node:net').createServer().listen({ port, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });`;
/** More than the queue takes, on any Linux. */
const FILLING = 8;
const FILLED_AFTER_MS = 300;

export async function startFullBacklog(wanted = 0): Promise<FullBacklog> {
  const worker = new Worker(LISTENS, { eval: true, workerData: wanted });
  const [port] = (await once(worker, 'message')) as [number];
  const filling: Socket[] = [];
  for (let at = 0; at < FILLING; at += 1) filling.push(connect(port, '127.0.0.1').on('error', () => {}));
  await new Promise((resolve) => setTimeout(resolve, FILLED_AFTER_MS));
  return {
    port,
    stop: async () => {
      for (const socket of filling) socket.destroy();
      await worker.terminate();
    },
  };
}
