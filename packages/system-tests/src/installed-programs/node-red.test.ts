import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROGRAMS } from '../../../../apps/console/src/screens/add-bot/programs/programs.ts';
import { openEchoSession, sayText, sendFile, textsOfBot } from '../echo-bots/echo-session.ts';
import { installPackages } from './install-packages.ts';

const PACKAGES = { 'node-red': '5.0.7', 'node-red-contrib-telegrambot': '19.0.1' };

let fleet: Fleet;
let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  [fleet, folder] = await Promise.all([startFleet(), installPackages(PACKAGES)]);
}, 300_000);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all([fleet.stop(), rm(folder, { recursive: true, force: true })]);
}, 60_000);

/** Says what it hears, stores files that it gets, offers a button for /button, and says that it was pressed. */
function flows(files: string): object[] {
  const bot = { id: 'bot', type: 'telegram bot', botname: 'echo', updatemode: 'polling', pollinterval: '300' };
  const of = { z: 'flow', bot: 'bot' };
  const offer = `
    msg.payload.content = 'a button';
    msg.payload.options = { reply_markup: JSON.stringify({ inline_keyboard: [[{ text: 'press', callback_data: 'x' }]] }) };
    return msg;`;
  const pressed = `msg.payload = { chatId: msg.payload.chatId, type: 'message', content: 'pressed' }; return msg;`;
  return [
    { id: 'flow', type: 'tab', label: 'echo' },
    { ...bot, baseapiurl: `${fleet.url}/tgapi`, usernames: '', chatids: '' },
    { ...of, id: 'in', type: 'telegram receiver', saveDataDir: files, filterCommands: true, wires: [['out'], []] },
    { ...of, id: 'command', type: 'telegram command', command: '/button', wires: [['offer']] },
    { ...of, id: 'offer', type: 'function', func: offer, outputs: 1, wires: [['out']] },
    { ...of, id: 'event', type: 'telegram event', event: 'callback_query', autoanswer: true, wires: [['pressed']] },
    { ...of, id: 'pressed', type: 'function', func: pressed, outputs: 1, wires: [['out']] },
    { ...of, id: 'out', type: 'telegram sender', wires: [[]] },
  ];
}

/** The flow that the console shows to import. */
function flowOfConsole(): { id: string; type: string }[] {
  const steps = PROGRAMS.find(({ id }) => id === 'node-red')!.steps(`${fleet.url}/tgapi`);
  return JSON.parse(steps.find(({ say }) => say === 'nodeRedFlow')!.code!.text);
}

type Flow = (files: string) => object[];

/** `bot`: the id of its node, to which the token belongs. */
async function startNodeRed(token: string, flow: Flow = flows, bot = 'bot'): Promise<{ files: string }> {
  const port = await freePort();
  const user = join(folder, `user-${port}`);
  const files = join(user, 'files');
  await mkdir(files, { recursive: true });
  const settings = { uiPort: port, uiHost: '127.0.0.1', flowFile: 'flows.json', credentialSecret: false };
  const nodes = { nodesDir: join(folder, 'node_modules/node-red-contrib-telegrambot') };
  await writeFile(join(user, 'settings.js'), `module.exports = ${JSON.stringify({ ...settings, ...nodes })}`);
  await writeFile(join(user, 'flows.json'), JSON.stringify(flow(files)));
  await writeFile(join(user, 'flows_cred.json'), JSON.stringify({ [bot]: { token } }));
  const child = spawn(process.execPath, [join(folder, 'node_modules/node-red/red.js'), '--userDir', user], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inheritedEnv(), NODE_RED_TELEMETRY: 'false' },
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await waitFor(() => /Started flows/.test(output) || child.exitCode !== null, { timeoutMs: 60_000 });
  if (child.exitCode !== null) throw new Error(`Node-RED ended:\n${output}`);
  return { files };
}

test.each(['bot', 'program'] as const)(
  'a flow of Node-RED works as it does at the platform, with a token of the %s',
  async (of) => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'Node-RED' });
    const made = await fleet.rest<{ token: string }>('/api/programs/tokens/add', { program_id: id, name: 'own' });
    const { files } = await startNodeRed(of === 'bot' ? bot.token : made.token);
    const session = await openEchoSession(fleet.control, bot.platformId);
    const { control, person } = session;

    expect((await sayText(session, 'hello, wörld & <b>')).text).toBe('hello, wörld & <b>');
    const sent = await sendFile(session, { kind: 'document', name: 'a-report.bin', bytes: 300_000 });
    expect(sent.echoed.file?.sha256).toBe(sent.sentSha256);
    const download = async () => readFile(join(files, (await readdir(files))[0]!));
    await waitFor(async () => (await download()).length === 300_000);
    const bytes = await download();
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sent.sentSha256);

    const { message_id: messageId } = await sayText(session, '/button');
    const { queryId } = await control.pressButton({ person, bot: bot.platformId, messageId });
    await waitFor(async () => (await textsOfBot(session, 1)).includes('pressed'), { timeoutMs: 30_000 });
    await waitFor(async () => (await control.readQuery({ queryId })).answer !== null, { timeoutMs: 30_000 });

    const other = await openEchoSession(control, bot.platformId);
    const said = Array.from({ length: 10 }, (_, number) => `number ${number}`);
    for (const text of said) await control.sendMessage({ person: other.person, bot: bot.platformId, text });
    // It sends several messages at once, so they may overtake each other.
    expect((await textsOfBot(other, said.length)).toSorted()).toEqual(said.toSorted());
  },
  180_000,
);

test('the flow that the console shows answers once it has the token', async () => {
  const bot = await fleet.addBot({ long_poll_enabled: true });
  const flow = flowOfConsole();
  await startNodeRed(bot.token, () => flow, flow.find(({ type }) => type === 'telegram bot')!.id);
  const said = await sayText(await openEchoSession(fleet.control, bot.platformId), 'hello, wörld & <b>');
  expect(said.text).toBe('You said: hello, wörld & <b>');
}, 120_000);
