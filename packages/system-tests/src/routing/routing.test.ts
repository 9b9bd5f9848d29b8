import type { MessageResource } from '@flotilla/contract/messages.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RoutingScene, routingScene, waitForSome } from './routing-scene.ts';

let fleet: Fleet;
let scene: RoutingScene;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  scene = await routingScene(fleet);
}, 60_000);
afterAll(async () => {
  await scene?.close();
  await fleet?.stop();
}, 60_000);

const bots = async (count = 2): Promise<FleetBot[]> => Promise.all(Array.from({ length: count }, () => fleet.addBot()));
const pair = async () => (await bots(2)) as [FleetBot, FleetBot];
const say = (person: number, bot: FleetBot, text: string, fields: object = {}) =>
  fleet.control.sendMessage({ person, bot: bot.platformId, text, ...fields });
const texts = (messages: { text?: string }[]) => messages.map((message) => message.text);
const dead = (bot: FleetBot) => fleet.rest<object[]>(`/api/deliveries?bot_id=${bot.id}&state=dead`);

/** The tests of a group run in parallel, because each waits for a pace or a retry; no two of them share a bot. */
describe('conditions', () => {
  test.concurrent('pick by chat, by writer, by word and by regular expression, in any case and any script', async () => {
    const [source, target] = await pair();
    const [ada, ben] = [await scene.person([source]), await scene.person([source])];
    const desks = await Promise.all(Array.from({ length: 4 }, () => scene.person([target])));
    const [byChat, byUser, byWord, byPattern] = desks as [number, number, number, number];
    const first = await scene.rule(source, target, byChat, {
      ...{ condition_type: 'chat_id', condition_value: String(ada), description: 'All of Ada' },
    });
    await scene.rule(source, target, byUser, { condition_type: 'user_id', condition_value: ben });
    await scene.rule(source, target, byWord, { condition_type: 'keyword', condition_value: 'Привет мир' });
    await scene.rule(source, target, byPattern, { condition_type: 'text', condition_value: '^order #\\d+$' });
    for (const text of ['order #17', 'ну, ПРИВЕТ  МИР!', 'приветмир', 'order #x']) await say(ada, source, text);
    await say(ben, source, 'from ben');
    await scene.settled(source);
    expect(texts(await scene.shown(target, byChat))).toEqual([
      'order #17',
      'ну, ПРИВЕТ  МИР!',
      'приветмир',
      'order #x',
    ]);
    expect(texts(await scene.shown(target, byUser))).toEqual(['from ben']);
    expect(texts(await scene.shown(target, byWord))).toEqual(['ну, ПРИВЕТ  МИР!']);
    expect(texts(await scene.shown(target, byPattern))).toEqual(['order #17']);
    const routed = async () => {
      const found = await fleet.rest<MessageResource[]>(`/api/messages?bot_id=${source.id}&chat_id=${ada}`);
      return found.find(({ text }) => text === 'order #17')?.routed;
    };
    await waitFor(async () => (await routed())?.length === 2, { timeoutMs: 30_000 });
    const [copy] = await scene.shown(target, byChat);
    expect((await routed())?.[0]).toMatchObject({
      ...{ route_id: first.id, route_name: 'All of Ada', bot_id: target.id, chat_id: byChat },
      message_id: copy?.message_id,
    });
  });

  test.concurrent('whose regular expression would take for ever elsewhere hold nobody up', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const [trapped, fine] = [await scene.person([target]), await scene.person([target])];
    await scene.rule(source, target, trapped, { condition_type: 'text', condition_value: '^(a+)+$' });
    await scene.rule(source, target, fine, { condition_type: 'all' });
    await say(ada, source, `${'a'.repeat(4000)}!`);
    const [copy] = await scene.sent(target, fine, 1, 5_000);
    expect(copy?.text).toHaveLength(4001);
    expect(await scene.shown(target, trapped)).toEqual([]);
  });

  test.concurrent('that are changed, switched off or deleted count from then on', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const desk = await scene.person([target]);
    const { id } = await scene.rule(source, target, desk, { condition_type: 'keyword', condition_value: 'one' });
    await say(ada, source, 'one');
    await scene.sent(target, desk, 1);
    await fleet.rest('/api/routes/update', { id, condition_value: 'two' });
    await say(ada, source, 'one again');
    await say(ada, source, 'two');
    await scene.sent(target, desk, 2);
    await fleet.rest('/api/routes/update', { id, enabled: false });
    await say(ada, source, 'two while off');
    await scene.settled(source);
    await fleet.rest('/api/routes/update', { id, enabled: true });
    await say(ada, source, 'two at last');
    await scene.sent(target, desk, 3);
    await fleet.rest('/api/routes/delete', { id });
    await say(ada, source, 'two too late');
    await scene.settled(source);
    expect(texts(await scene.shown(target, desk))).toEqual(['one', 'two', 'two at last']);
  });
});

describe('the chat of the source as the target', () => {
  test.concurrent('is the private chat with the same person, and the same group, by the other bot', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source, target]);
    const creator = await scene.person([]);
    const admins = [source, target].map(({ platformId }) => ({ bot: platformId }));
    const { id: group } = await fleet.control.createChat({ type: 'supergroup', creator, members: [ada], admins });
    await scene.rule(source, target, 0, { condition_type: 'keyword', condition_value: 'echo' });
    await say(ada, source, 'echo in private');
    await fleet.control.sendMessage({ person: ada, chat: group, text: 'echo in the group' });
    const [privately] = await scene.sent(target, ada, 1);
    expect(privately?.text).toBe('echo in private');
    const [inGroup] = await scene.sent(target, group, 1);
    expect(inGroup?.text).toBe('echo in the group');
    await scene.settled(source);
    await scene.settled(target);
    expect(texts(await scene.shown(target, group))).toEqual(['echo in the group', 'echo in the group']);
  });
});

describe('replies', () => {
  test.concurrent('to a routed message go back to where it came from, and on', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source], 'Ada');
    const desk = await scene.person([target], 'Desk');
    const { id } = await scene.rule(source, target, desk, { action: 'forward' });
    const asked = await say(ada, source, 'when do you open?');
    const [routed] = await scene.sent(target, desk, 1);
    await say(desk, target, 'just talking');
    await say(desk, target, 'at nine', { replyTo: routed?.message_id });
    const [back] = await scene.sent(source, ada, 1);
    expect(back).toMatchObject({ text: 'at nine', reply_to_message: { message_id: asked.messageId } });
    await fleet.rest('/api/routes/delete', { id });
    await scene.settled(source);
    await scene.settled(target);
    expect(texts(await scene.shown(source, ada))).toEqual(['when do you open?', 'at nine']);
  });

  test.concurrent('to a reply go back as well, and stand where they answer', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const desk = await scene.person([target]);
    await scene.rule(source, target, desk, { condition_type: 'keyword', condition_value: 'help' });
    await say(ada, source, 'help me');
    const [routed] = await scene.sent(target, desk, 1);
    const answered = await say(desk, target, 'with what?', { replyTo: routed?.message_id });
    const [back] = await scene.sent(source, ada, 1);
    await say(ada, source, 'with tides', { replyTo: back?.message_id });
    const [, onward] = await scene.sent(target, desk, 2);
    expect(onward).toMatchObject({ text: 'with tides', reply_to_message: { message_id: answered.messageId } });
  });
});

describe('business messages', () => {
  test.concurrent('are routed, and replies go back through their connection', async () => {
    const [source, target] = await pair();
    const [customer, desk] = [await scene.person([source], 'Customer'), await scene.person([target])];
    const owner = await scene.person([source], 'Owner');
    const { connectionId: connection } = await fleet.control.connectBusiness({ person: owner, bot: source.platformId });
    await scene.rule(source, target, desk);
    const toOwner = { person: customer, bot: source.platformId, connectionId: connection };
    const { messageId } = await fleet.control.writeToBusiness({ ...toOwner, text: 'Is berth 7 free?' });
    const byOurBot = {
      business_connection_id: connection,
      message_id: 7_000_071,
      from: { id: customer, is_bot: false, first_name: 'Customer' },
      sender_business_bot: { id: target.platformId },
      chat: { id: customer, type: 'private', first_name: 'Customer' },
      date: Math.floor(Date.now() / 1000),
      text: 'by a bot of ours',
    };
    await fleet.control.injectUpdate({
      bot: source.platformId,
      kind: 'business_message',
      raw: JSON.stringify(byOurBot),
    });
    const [routed] = await scene.sent(target, desk, 1);
    await say(desk, target, 'It is.', { replyTo: routed?.message_id });
    const shown = await waitForSome(async () => {
      const { messages } = await fleet.control.readBusinessChat(toOwner);
      return messages.length > 1 ? messages : null;
    });
    expect(shown.at(-1)).toMatchObject({ text: 'It is.', reply_to_message: { message_id: messageId } });
    const { calls } = await fleet.control.readCalls({ bot: source.platformId });
    expect(calls.find((call) => call.method === 'sendmessage')?.params).toMatchObject({
      business_connection_id: connection,
      chat_id: String(customer),
      reply_parameters: expect.stringContaining(`"message_id":${messageId}`),
    });
    await scene.settled(source);
    expect(texts((await scene.shown(target, desk)).filter((shown) => shown.text !== 'It is.'))).toEqual([
      'Is berth 7 free?',
    ]);
  });
});

describe('loops', () => {
  test.concurrent('a pair of opposite rules carries a conversation and never echoes', async () => {
    const [left, right] = await pair();
    const [ada, ben] = [await scene.person([left], 'Ada'), await scene.person([right], 'Ben')];
    await scene.rule(left, right, ben);
    await scene.rule(right, left, ada);
    await say(ada, left, 'hello');
    const [first] = await scene.sent(right, ben, 1);
    await say(ben, right, 'hello yourself');
    await say(ben, right, 'how are you?', { replyTo: first?.message_id });
    await scene.sent(left, ada, 2);
    await say(ada, left, 'fine');
    await scene.sent(right, ben, 2);
    await scene.settled(left);
    await scene.settled(right);
    expect(texts(await scene.shown(left, ada))).toEqual(['hello', 'hello yourself', 'how are you?', 'fine']);
    expect(texts(await scene.shown(right, ben))).toEqual(['hello', 'hello yourself', 'how are you?', 'fine']);
  });

  test.concurrent('what comes back through a shared channel triggers nothing, whoever of ours posted it', async () => {
    const [left, right, poster] = (await bots(3)) as [FleetBot, FleetBot, FleetBot];
    const unmanaged = await fleet.addBot({ manage_enabled: false });
    const { id: admin } = await fleet.control.createPerson({ firstName: 'Admin' });
    const channel = async () => {
      const admins = [left, right, poster, unmanaged].map((bot) => ({ bot: bot.platformId }));
      return (await fleet.control.createChat({ type: 'channel', creator: admin, admins })).id;
    };
    const [one, two] = [await channel(), await channel()];
    await scene.rule(left, left, two, { condition_type: 'chat_id', condition_value: one });
    await scene.rule(right, right, one, { condition_type: 'chat_id', condition_value: two });
    await fleet.control.sendMessage({ person: admin, chat: one, text: 'from a person' });
    for (const bot of [poster, unmanaged]) {
      const byProgram = await fetch(`${fleet.url}/tgapi/bot${bot.token}/sendMessage?chat_id=${one}&text=program`);
      expect(byProgram.status).toBe(200);
    }
    await fleet.rest('/api/messages/send', { bot_id: poster.id, chat_id: one, text: 'rest' });
    await waitFor(async () => (await scene.shown(left, two)).length > 0);
    await scene.settled(left);
    await scene.settled(right);
    await fleet.control.sendMessage({ person: admin, chat: two, text: 'the end' });
    await waitFor(async () => texts(await scene.shown(left, one)).includes('the end'));
    expect(texts(await scene.shown(left, two))).toEqual(['from a person', 'the end']);
    expect(texts(await scene.shown(left, one))).toEqual(['from a person', 'program', 'program', 'rest', 'the end']);
  });

  test.concurrent('a rule for everything does not send to a chat what was written there', async () => {
    const [source] = await bots(1);
    const { id: admin } = await fleet.control.createPerson({ firstName: 'Admin' });
    const { id: group } = await fleet.control.createChat({
      type: 'supergroup',
      creator: admin,
      members: [source!.platformId],
    });
    const ada = await scene.person([source!]);
    await scene.rule(source!, source!, group, { action: 'forward' });
    await fleet.control.sendMessage({ person: admin, chat: group, text: 'here already' });
    await say(ada, source!, 'from elsewhere');
    await scene.sent(source!, group, 1);
    await scene.settled(source!);
    const [, forwarded, ...others] = await scene.shown(source!, group);
    expect(forwarded).toMatchObject({ text: 'from elsewhere', forward_origin: { type: 'user' } });
    expect(others).toEqual([]);
  });
});

describe('drop', () => {
  test.concurrent('keeps a message from the backend and from later rules, not from pollers nor the history', async () => {
    const backend = await startBackend();
    const source = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url, long_poll_enabled: true });
    const [target] = await bots(1);
    const ada = await scene.person([source]);
    const [before, after] = [await scene.person([target!]), await scene.person([target!])];
    await scene.rule(source, target!, before);
    await fleet.rest('/api/routes/add', {
      source_bot_id: source.id,
      condition_type: 'keyword',
      condition_value: 'spam',
      action: 'drop',
    });
    await scene.rule(source, target!, after);
    for (const text of ['hello', 'SPAM!', 'bye']) await say(ada, source, text);
    await backend.waitForRequests(2);
    await scene.sent(target!, after, 2);
    await scene.sent(target!, before, 3);
    expect(backend.requests.map((request) => JSON.parse(request.text).message.text)).toEqual(['hello', 'bye']);
    expect(texts(await scene.shown(target!, after))).toEqual(['hello', 'bye']);
    const polled = await fleet.rest<{ result: { message: { text: string } }[] }>(
      `/api/updates/poll?bot_id=${source.id}&timeout=0`,
    );
    expect(polled.result.map((update) => update.message.text)).toEqual(['hello', 'SPAM!', 'bye']);
    const stored = () => fleet.rest<{ text: string }[]>(`/api/messages?bot_id=${source.id}&chat_id=${ada}`);
    await waitFor(async () => texts(await stored()).includes('SPAM!'));
    await backend.stop();
  });
});

describe('hits', () => {
  type Counted = { id: number; hits: number; last_hit_at: string | null };
  const rulesOf = (bot: FleetBot) => fleet.rest<Counted[]>(`/api/routes?bot_id=${bot.id}`);
  const hitsOf = async (bot: FleetBot) => (await rulesOf(bot)).map(({ hits }) => hits);
  const counted = (bot: FleetBot, hits: number[]) =>
    waitFor(async () => JSON.stringify(await hitsOf(bot)) === JSON.stringify(hits), {
      message: `the hits ${hits} of bot ${bot.id}`,
    });
  const addRule = (source: FleetBot, fields: object) =>
    fleet.rest<Counted>('/api/routes/add', { source_bot_id: source.id, condition_type: 'keyword', ...fields });

  test.concurrent('are the messages on which a rule acted, whatever became of them', async () => {
    const [source, target] = await pair();
    const [ada, desk] = [await scene.person([source]), await scene.person([target])];
    const holds = await addRule(source, { condition_value: 'human', action: 'hold', action_minutes: 1 });
    const drops = await addRule(source, { condition_value: 'spam', action: 'drop' });
    expect(drops).toMatchObject({ hits: 0, last_hit_at: null });
    const sends = await scene.rule(source, target, desk);
    // Not to itself: the message is there already.
    await scene.rule(source, source, ada);
    const begun = Date.now();
    for (const text of ['hello', 'spam', 'spam again', 'bye']) await say(ada, source, text);
    await counted(source, [0, 2, 2, 0]);
    await say(ada, source, 'a human, please');
    await counted(source, [1, 2, 3, 0]);
    const listed = await rulesOf(source);
    expect(listed.map(({ id }) => id).slice(0, 3)).toEqual([holds.id, drops.id, sends.id]);
    for (const { last_hit_at: at } of listed.slice(0, 3)) expect(Date.parse(at!)).toBeGreaterThan(begun - 1_000);
    expect(listed[3]).toMatchObject({ last_hit_at: null });
  });

  test.concurrent('count a message once that is tried again, refused and sent again by hand', async () => {
    const [source, target] = await pair();
    const [ada, desk] = [await scene.person([source]), await scene.person([target])];
    const tooMany = { kind: 'status', status: 429, retryAfterS: 3 } as const;
    await fleet.control.setFault({ bot: target.platformId, method: 'sendMessage', count: 1, effect: tooMany });
    const { id } = await scene.rule(source, target, desk);
    await say(ada, source, 'later');
    // A message that waits for its next try has met its rule.
    await counted(source, [1]);
    expect(await scene.shown(target, desk)).toEqual([]);
    await scene.sent(target, desk, 1);
    await fleet.control.blockBot({ person: desk, bot: target.platformId, blocked: true });
    await say(ada, source, 'never');
    await counted(source, [2]);
    const letters = await waitForSome(async () => {
      const found = await dead(source);
      return found.length === 1 ? (found as { id: number }[]) : null;
    });
    await fleet.control.blockBot({ person: desk, bot: target.platformId, blocked: false });
    await fleet.rest('/api/deliveries/redrive', { bot_id: source.id, ids: [letters[0]!.id], dry_run: false });
    await scene.sent(target, desk, 2);
    await say(ada, source, 'one more');
    await counted(source, [3]);
    await fleet.rest('/api/routes/update', { id, description: 'another one' });
    const { id: other } = await scene.rule(source, target, desk, { condition_type: 'keyword', condition_value: 'no' });
    const moved = await fleet.rest<Counted[]>('/api/routes/reorder', { bot_id: source.id, ids: [other, id] });
    expect(moved.map(({ hits }) => hits)).toEqual([0, 3]);
    await fleet.rest('/api/routes/delete', { id });
    expect(await hitsOf(source)).toEqual([0]);
  });

  test.concurrent('are counted by push for a bot whose rules only drop', async () => {
    const backend = await startBackend();
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
    const ada = await scene.person([bot]);
    await addRule(bot, { condition_value: 'spam', action: 'drop' });
    await addRule(bot, { condition_value: 'spam', action: 'drop' });
    for (const text of ['one', 'spam', 'more spam', 'two']) await say(ada, bot, text);
    await backend.waitForRequests(2);
    // A second rule never sees what the first one drops.
    await counted(bot, [2, 0]);
    await backend.stop();
  });
});

describe('the platform', () => {
  test.concurrent('that refuses for good is not asked again: a dead letter at once, which can be sent again', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const [blocked, fine] = [await scene.person([target]), await scene.person([target])];
    await fleet.control.blockBot({ person: blocked, bot: target.platformId, blocked: true });
    const { id } = await scene.rule(source, target, blocked);
    await scene.rule(source, target, fine);
    await say(ada, source, 'one');
    await say(ada, source, 'two');
    await scene.sent(target, fine, 2);
    const letters = await waitForSome(async () => {
      const found = await dead(source);
      return found.length === 2 ? found : null;
    });
    expect(letters[0]).toMatchObject({
      reader: 'rules',
      reason_code: 'destination_failed',
      last_status: 403,
      last_error: `rule ${id}: Forbidden: bot was blocked by the user`,
      destinations: [
        { name: `rule ${id}`, reason_code: 'refused', status: 403, error: 'Forbidden: bot was blocked by the user' },
      ],
    });
    await fleet.control.blockBot({ person: blocked, bot: target.platformId, blocked: false });
    expect(await fleet.rest('/api/deliveries/redrive', { bot_id: source.id })).toMatchObject({ ok: true, redriven: 2 });
    await scene.sent(target, blocked, 2);
    await scene.settled(source);
    for (const chat of [blocked, fine]) expect(texts(await scene.shown(target, chat))).toEqual(['one', 'two']);
    expect(await dead(source)).toEqual([]);
  });

  test.concurrent('that is in trouble or wants quiet gets it, and everything arrives once and in order', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const desk = await scene.person([target]);
    await scene.rule(source, target, desk);
    const { platformId: bot } = target;
    const fault = (count: number, effect: object) =>
      fleet.control.setFault({ bot, method: 'sendMessage', count, effect } as never);
    await fault(1, { kind: 'status', status: 429, retryAfterS: 2 });
    await fault(2, { kind: 'status', status: 502, body: '<html>' });
    const begunAtMs = performance.now();
    for (const text of ['one', 'two', 'three']) await say(ada, source, text);
    await scene.sent(target, desk, 3, 30_000);
    expect(texts(await scene.shown(target, desk))).toEqual(['one', 'two', 'three']);
    expect(performance.now() - begunAtMs).toBeGreaterThan(2_000);
    expect(await dead(source)).toEqual([]);
  });

  test.concurrent('whose answer is lost has sent it perhaps: then it is sent again, or left out, as the rule says', async () => {
    const [[source, target], [, other]] = [await pair(), await pair()];
    const ada = await scene.person([source]);
    const [repeated, once] = [await scene.person([target]), await scene.person([other])];
    await scene.rule(source, target, repeated);
    await scene.rule(source, other, once, { delivery: 'at_most_once' });
    for (const { platformId: bot } of [target, other]) {
      await fleet.control.setFault({ bot, method: 'sendMessage', count: 1, effect: { kind: 'lose-answer' } });
    }
    await say(ada, source, 'one');
    await say(ada, source, 'two');
    await scene.sent(target, repeated, 3);
    await scene.sent(other, once, 2);
    await scene.settled(source);
    expect(texts(await scene.shown(target, repeated))).toEqual(['one', 'one', 'two']);
    expect(texts(await scene.shown(other, once))).toEqual(['one', 'two']);
  });

  test.concurrent('never has to slow a bot down: it sends one message a second to a chat, and to many chats at once', async () => {
    const [source, target] = await pair();
    const writers = await Promise.all(Array.from({ length: 10 }, () => scene.person([source])));
    const [desk, hall] = [await scene.person([target]), await scene.person([target])];
    await scene.rule(source, target, desk);
    await scene.rule(source, target, hall);
    for (const writer of writers) await say(writer, source, `by ${writer}`);
    await scene.sent(target, desk, 10, 40_000);
    await scene.sent(target, hall, 10, 40_000);
    const { calls } = await fleet.control.readCalls({ bot: target.platformId });
    const sends = calls.filter((call) => call.method === 'sendmessage');
    expect(sends.every((call) => call.status === 200)).toBe(true);
    for (const chat of [desk, hall]) {
      const times = sends.filter((call) => call.params.chat_id === String(chat)).map((call) => call.atMs);
      expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(9_000);
    }
    expect(sends.at(-1)!.atMs - sends[0]!.atMs).toBeLessThan(20_000);
  }, 60_000);

  test.concurrent('is asked to forward or to copy where the target bot sees the message itself', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source], 'Ada');
    const { id: group } = await fleet.control.createChat({
      type: 'supergroup',
      creator: ada,
      members: [source.platformId, target.platformId],
    });
    const [own, shared] = [await scene.person([source]), await scene.person([target])];
    await scene.rule(source, source, own, { action: 'forward' });
    await scene.rule(source, target, shared, { condition_type: 'chat_id', condition_value: group });
    await fleet.control.sendMessage({ person: ada, chat: group, text: 'seen by both' });
    expect((await scene.sent(source, own, 1))[0]).toMatchObject({
      text: 'seen by both',
      forward_origin: { type: 'user', sender_user: { id: ada } },
    });
    expect((await scene.sent(target, shared, 1))[0]?.text).toBe('seen by both');
    expect((await fleet.control.readCalls({ bot: target.platformId })).byMethod).toMatchObject({ copymessage: 1 });
  });

  test.concurrent('moves a group to a new id, and the messages follow', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const { id: group } = await fleet.control.createChat({ type: 'group', creator: ada, members: [target.platformId] });
    await scene.rule(source, target, group);
    const { id: supergroup } = await fleet.control.migrateGroup({ chat: group, person: ada });
    await say(ada, source, 'after the move');
    const [copy] = await scene.sent(target, supergroup, 1);
    expect(copy?.text).toBe('after the move');
  });
});

describe('a bot', () => {
  test.concurrent('that is disabled keeps what waits and routes it when it is enabled again', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const desk = await scene.person([target]);
    await scene.rule(source, target, desk);
    await fleet.rest('/api/bots/toggle-disabled', { id: target.id });
    await say(ada, source, 'for later');
    await waitFor(async () => {
      const [bot] = (await fleet.rest<{ id: number; last_update_at?: string }[]>('/api/bots')).filter(
        ({ id }) => id === source.id,
      );
      return bot?.last_update_at !== undefined;
    });
    await fleet.rest('/api/bots/toggle-disabled', { id: source.id });
    await fleet.rest('/api/bots/toggle-disabled', { id: target.id });
    await fleet.rest('/api/bots/toggle-disabled', { id: source.id });
    expect(texts(await scene.sent(target, desk, 1, 30_000))).toEqual(['for later']);
  }, 60_000);

  test.concurrent('that is deleted takes its rules along, and nobody stumbles over them', async () => {
    const [source, target, other] = (await bots(3)) as [FleetBot, FleetBot, FleetBot];
    const ada = await scene.person([source]);
    const [desk, hall] = [await scene.person([target]), await scene.person([other])];
    await scene.rule(source, target, desk);
    await scene.rule(source, other, hall);
    await fleet.rest('/api/bots/delete', { id: target.id });
    await say(ada, source, 'hello');
    expect(texts(await scene.sent(other, hall, 1))).toEqual(['hello']);
    expect(await dead(source)).toEqual([]);
  });

  test.concurrent('that only watches keeps what it sends by rules in its history', async () => {
    const [source, target] = await pair();
    const ada = await scene.person([source]);
    const desk = await scene.person([target]);
    await scene.rule(source, target, desk);
    await say(ada, source, 'to be kept');
    const stored = () =>
      fleet.rest<{ text: string; outgoing: boolean }[]>(`/api/messages?bot_id=${target.id}&chat_id=${desk}`);
    const [row] = await waitForSome(async () => {
      const rows = await stored();
      return rows.length > 0 ? rows : null;
    });
    expect(row).toMatchObject({ text: 'to be kept', outgoing: true });
  });
});
