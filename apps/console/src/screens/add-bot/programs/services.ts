import { type Program, TOKEN } from './program.ts';

/** Programs that are set up on pages and by commands of their own. */
export const SERVICES: readonly Program[] = [
  {
    ...{ id: 'n8n', name: 'n8n' },
    steps: (root) => [
      {
        say: 'n8nCredential',
        fields: [
          ['Access Token', TOKEN],
          ['Base URL', root],
        ],
      },
      { say: 'n8nWorkflow', code: { text: n8nWorkflow(), name: 'workflow.json' } },
      { say: 'n8nPublish' },
      { say: 'n8nReach' },
    ],
  },
  {
    ...{ id: 'node-red', name: 'Node-RED' },
    steps: (root) => [
      { say: 'nodeRedInstall', code: { text: 'cd ~/.node-red && npm install node-red-contrib-telegrambot@19' } },
      { say: 'nodeRedFlow', code: { text: nodeRedFlow(root), name: 'flow.json' } },
      {
        say: 'nodeRedToken',
        fields: [
          ['Token', TOKEN],
          ['Server URL', root],
        ],
      },
    ],
  },
  {
    ...{ id: 'openclaw', name: 'OpenClaw' },
    steps: (root) => [
      { say: 'openClawInstall', code: { text: 'npm install -g openclaw\nopenclaw config set gateway.mode local' } },
      { say: 'openClawRoot', code: { text: `openclaw config set channels.telegram.apiRoot '${root}'` } },
      { say: 'openClawToken', code: { text: `openclaw channels add --channel telegram --token '${TOKEN}'` } },
      { say: 'openClawStart', code: { text: 'openclaw gateway' } },
      {
        say: 'openClawPair',
        code: { text: 'openclaw pairing list telegram\nopenclaw pairing approve telegram <code>' },
      },
    ],
  },
];

/** A node a line, so that it is short on the page. */
function n8nWorkflow(): string {
  const trigger = 'Telegram Trigger';
  const answer = 'Send a text message';
  const nodes = [
    {
      ...{ id: 'trigger', name: trigger, type: 'n8n-nodes-base.telegramTrigger', typeVersion: 1.1, position: [0, 0] },
      parameters: { updates: ['message'], additionalFields: {} },
    },
    {
      ...{ id: 'answer', name: answer, type: 'n8n-nodes-base.telegram', typeVersion: 1.2, position: [220, 0] },
      parameters: {
        chatId: '={{ $json.message.chat.id }}',
        text: '=You said: {{ $json.message.text }}',
        additionalFields: { appendAttribution: false },
      },
    },
  ];
  const connections = { [trigger]: { main: [[{ node: answer, type: 'main', index: 0 }]] } };
  return `{"nodes": ${inLines(nodes)},\n"connections": ${JSON.stringify(connections)}}\n`;
}

function nodeRedFlow(root: string): string {
  const answer = "msg.payload.content = 'You said: ' + msg.payload.content;\nreturn msg;";
  const at = (id: string, x: number) => ({ id, z: 'flotilla-flow', x, y: 100 });
  const nodes = [
    { id: 'flotilla-flow', type: 'tab', label: 'Echo' },
    { id: 'flotilla-bot', type: 'telegram bot', baseapiurl: root, botname: 'echo', updatemode: 'polling' },
    { ...at('flotilla-in', 140), type: 'telegram receiver', bot: 'flotilla-bot', wires: [['flotilla-say'], []] },
    { ...at('flotilla-say', 340), type: 'function', func: answer, outputs: 1, wires: [['flotilla-out']] },
    { ...at('flotilla-out', 540), type: 'telegram sender', bot: 'flotilla-bot', wires: [[]] },
  ];
  return `${inLines(nodes)}\n`;
}

const inLines = (nodes: object[]) => `[\n${nodes.map((node) => JSON.stringify(node)).join(',\n')}\n]`;
