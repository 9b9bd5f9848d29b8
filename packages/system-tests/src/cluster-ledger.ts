import { fail, ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { controlClient } from '@flotilla/simulator/control-client.ts';
import { ledger } from './ledger.ts';
import { startPuller } from './puller.ts';

// node packages/system-tests/src/cluster-ledger.ts <seconds>: follows 20 updates a second from the simulated platform to a polling program,
// while somebody kills and upgrades an installation. Exits with 1 if one is missing, comes twice or out of its order.

const CHATS = 10;
const PER_SECOND = 20;
const COUNT = Number(process.argv[2]) * PER_SECOND;
const LAST_WITHIN_MS = 120_000;

const { SIMULATOR_URL = '', API_URL = '', ADMIN_API_KEY = '' } = inheritedEnv();
const platform = controlClient(SIMULATOR_URL);

const { token, id } = await platform.createBot({ name: 'Ledger', username: 'ledger_bot' });
const added = await fetch(`${API_URL}/api/bots/add`, {
  method: 'POST',
  headers: { authorization: `Bearer ${ADMIN_API_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({ token, long_poll_enabled: true, proxy_enabled: true }),
});
ok(added.ok, `The bot was not added: ${added.status} ${added.ok ? '' : await added.text()}`);

const book = ledger();
const puller = startPuller(() => API_URL, token, book.record);
const { loadId } = await platform.generate({ bots: [id], chats: CHATS, count: COUNT, perSecond: PER_SECOND });
while (!(await platform.readLoad({ loadId })).done) await delay(1_000);
const endMs = Date.now() + LAST_WITHIN_MS;
while (book.count() < COUNT && Date.now() < endMs) await delay(500);
const failed = await puller.stop();

process.stdout.write(
  `${book.count()} of ${COUNT} updates arrived, ${book.duplicates()} twice; ${failed.length} polls failed\n`,
);
process.stdout.write(failed.map((line) => `  ${line}\n`).join(''));
const faults = book.faults(COUNT / CHATS);
if (faults.length > 0 || book.duplicates() > 0) fail(faults.join('\n'));
