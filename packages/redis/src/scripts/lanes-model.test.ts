import { BOT, type LuaScene, luaScene, okOf, REGISTRATION, type Settled } from '@flotilla/testing/lua-scene.ts';
import { type Random, seededRandom } from '@flotilla/testing/random.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ClaimForPushArgs, scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterAll(() => scene.close());

const STEPS = 250;
type Requests = Pick<ClaimForPushArgs, 'lastError' | 'failedForMs' | 'succeeded' | 'answers'>;
const NO_REQUESTS: Requests = { lastError: '', failedForMs: null, succeeded: false, answers: 'none' };
const SUCCEEDED: Requests = { ...NO_REQUESTS, succeeded: true, answers: 'other' };
/** Above the ids of the log. */
const FIRST_REDRIVEN = 1_000_000;
const LANES = ['c:1', 'c:2', 'c:3', 'c:4'];
const OUTCOMES = [
  'delivered',
  'delivered',
  'delivered',
  'dropped',
  'retry',
  'waits',
  'dead',
  'crashed',
  'returned',
] as const;
type Outcome = (typeof OUTCOMES)[number];
/** A unit that a claim has given out. */
type Unit = { lane: string; record: string; id: string };

/** The steps of a bot's push turns, and what must be true of its lanes after each step. */
class Model {
  readonly #random: Random;
  #lastId = 0;
  #letters = 0;
  #token = 0;
  #claims = 0;
  /** The units that the owner of the turn handles now. */
  #held: Unit[] = [];
  #recordsSeen = 0;
  /** The arguments of all claims, as the network might deliver them once more. */
  readonly #sent: ClaimForPushArgs[] = [];
  /** Ids by lane, in the order in which they must leave it. */
  readonly waiting = new Map<string, string[]>(LANES.map((lane) => [lane, []]));
  /** By id: the record that it was given at its last retry. */
  readonly #records = new Map<string, string>();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  async step(): Promise<void> {
    const chance = this.#below(20);
    await scene.passMs(this.#below(50));
    if (chance < 6) await this.accept();
    else if (chance === 6) await this.redrive();
    else if (chance === 7) await this.beginAnew();
    else if (chance === 8) await this.loseReply();
    else if (chance === 9) await this.delayCopy();
    else await this.claim(this.#below(6), this.#some(this.#held));
    await this.check();
  }

  /** Settles everything as delivered until nothing is left. */
  async drain(): Promise<void> {
    for (let round = 0; round < 600; round += 1) {
      await scene.passMs(1000);
      await this.claim(10, this.#held, 'delivered');
      await this.check();
      if ([...this.waiting.values()].every((ids) => ids.length === 0)) return;
    }
    throw new Error('something waits for ever');
  }

  async accept(): Promise<void> {
    const lane = this.#random.oneOf(LANES);
    const isAllowed = this.#below(5) > 0;
    const ids = Array.from({ length: 1 + this.#below(3) }, () => {
      this.#lastId += 1;
      return this.#lastId;
    });
    await scene.accept(ids, lane, isAllowed ? 'message' : 'chat_member');
    if (isAllowed) this.waiting.get(lane)!.push(...ids.map(String));
  }

  async redrive(): Promise<void> {
    const { keys } = scene;
    const lane = this.#random.oneOf(LANES);
    this.#letters += 1;
    // Updates of the log are filed first, in its order.
    await this.claim(0, []);
    const update = { id: FIRST_REDRIVEN + this.#letters, kind: 'message', lane, raw: '{}', idStart: null, idEnd: null };
    await scripts.redrive(
      scene.commands,
      { ...keys, program: null },
      {
        registrationId: REGISTRATION,
        botId: BOT,
        lanePrefix: keys.lane(''),
        keepMs: 9e8,
        reader: 'push',
        knownForMs: 60_000,
        limit: 100,
        reservedId: null,
        letters: [{ letterId: this.#letters, ...update, progress: '', album: '', exclusive: false }],
      },
    );
    this.waiting.get(lane)!.push(`r${this.#letters}`);
  }

  /** The owner died; the next claim is that of a new one. */
  async beginAnew(): Promise<void> {
    this.#token = 0;
    this.#held = [];
    await this.claim(this.#below(6), []);
  }

  /** The reply to a claim is lost, so that it is sent again. */
  async loseReply(): Promise<void> {
    if (this.#token === 0) return;
    const held = this.#held;
    const settled = this.#some(held);
    const { name, settle } = await this.claim(3, settled);
    this.#held = held.filter((unit) => !settled.includes(unit));
    const again = await this.#call(name, 3, settle, NO_REQUESTS);
    expect(again.units).toEqual([]);
  }

  /** A copy of any earlier claim arrives late. */
  async delayCopy(): Promise<void> {
    if (this.#sent.length === 0) return;
    const reply = await this.#send(this.#random.oneOf(this.#sent));
    expect(['LATE', 'FENCED']).toContain(reply.outcome);
  }

  async claim(limit: number, settled: Unit[], always?: Outcome) {
    const settle = settled.map((unit) => this.#settle(unit, always ?? this.#random.oneOf(OUTCOMES)));
    this.#claims += 1;
    const name = `claim ${this.#claims}`;
    this.#held = this.#held.filter((unit) => !settled.includes(unit));
    // So long ago that the breaker opens.
    const failed: Requests = { ...NO_REQUESTS, lastError: '500', failedForMs: 20_000, answers: 'other' };
    const outcomes = always === undefined ? [NO_REQUESTS, SUCCEEDED, SUCCEEDED, failed] : [SUCCEEDED];
    const requests = settled.length === 0 ? NO_REQUESTS : this.#random.oneOf(outcomes);
    const { token, units } = await this.#call(name, limit, settle, requests);
    this.#token = token;
    await this.#giveUpCrashed();
    for (const { lane, id, record } of units) {
      expect({ lane, id }).toEqual({ lane, id: this.waiting.get(lane)![0] });
      expect(record).toBe(this.#records.get(id) ?? '');
    }
    this.#held.push(...units);
    return { name, settle };
  }

  /** A unit that was begun three times is a dead letter, and waits no more. */
  async #giveUpCrashed(): Promise<void> {
    const records = await scene.commands.xrange(scene.keys.history, '-', '+');
    const fieldOf = (fields: string[], name: string) => fields[fields.indexOf(name) + 1];
    for (const [, fields] of records.slice(this.#recordsSeen)) {
      if (fieldOf(fields, 't') !== 'dead' || fieldOf(fields, 'code') !== 'crashed') continue;
      const updateId = Number(fieldOf(fields, 'i'));
      const id = updateId < FIRST_REDRIVEN ? String(updateId) : `r${updateId - FIRST_REDRIVEN}`;
      const lane = LANES.find((one) => this.waiting.get(one)!.includes(id))!;
      expect({ lane, id: this.waiting.get(lane)!.shift() }).toEqual({ lane, id });
    }
    this.#recordsSeen = records.length;
  }

  async #call(name: string, limit: number, settle: Settled[], requests: Requests) {
    const token = this.#token === 0 ? {} : { token: this.#token };
    const args = scene.claimArguments('push', {
      ...token,
      name,
      limit,
      settled: settle,
      end: 'hold',
    });
    const sent = { ...args, ...requests, ...scene.activity };
    this.#sent.push(sent);
    const reply = okOf(await this.#send(sent));
    const units = reply.units.map(({ lane, record, updates }) => ({
      lane,
      record: record ?? '',
      id: updates[0]!.inLane,
    }));
    return { token: reply.fencingToken, units };
  }

  #send(args: ClaimForPushArgs) {
    return scripts.claimForPush(scene.commands, scene.keys, args);
  }

  #settle({ lane, id }: Unit, outcome: Outcome): Settled {
    const record = `{"attempts":${this.#below(100)}}`;
    if (outcome === 'retry') this.#records.set(id, record);
    if (['delivered', 'dropped', 'dead'].includes(outcome)) {
      const ids = this.waiting.get(lane)!;
      expect(ids.shift()).toBe(id);
    }
    const json = outcome === 'dead' ? '{"code":"refused","reason":"no","attempts":1}' : record;
    return { lane, id, outcome, dueInMs: this.#random.oneOf([0, 60]), json };
  }

  async check(): Promise<void> {
    const { commands, keys } = scene;
    const [state, scores, inFlight, work] = await Promise.all([
      commands.hmget(keys.state, 'pushPending', 'pushCursor'),
      commands.zrange(keys.lanes, '0', '-1', 'WITHSCORES'),
      commands.hgetall(keys.inFlight),
      commands.hgetall(keys.work),
    ]);
    const lists = await Promise.all(LANES.map((lane) => commands.lrange(keys.lane(lane), 0, -1)));
    const filled = LANES.filter((_, at) => lists[at]!.length > 0);
    const isFiled = (id: string) => id.startsWith('r') || Number(id) <= Number(state[1]);
    expect(lists).toEqual(LANES.map((lane) => this.waiting.get(lane)!.filter(isFiled)));
    expect(Number(state[0])).toBe(lists.flat().length);
    expect(scores.filter((_, at) => at % 2 === 0).sort()).toEqual(filled);
    const flying = scores.filter((_, at) => scores[at + 1] === '9000000000000000').sort();
    expect(flying).toEqual(Object.keys(inFlight).sort());
    // Nothing is known of what has left its lane, and of what is in flight at least that it was begun.
    const known = Object.keys(work).map((field) => field.slice(2));
    expect(lists.flat()).toEqual(expect.arrayContaining(known));
    for (const lane of flying) expect(work[`s:${lists[LANES.indexOf(lane)]![0]}`]).toMatch(/^[1-3]$/);
    for (const { lane } of this.#held) expect(flying).toContain(lane);
  }

  /** A whole number from 0 to below `end`. */
  #below(end: number): number {
    return Math.floor(this.#random.between(0, end));
  }

  #some<T>(all: T[]): T[] {
    return all.filter(() => this.#below(2) === 0);
  }
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'whatever turns do, their lanes agree and keep their order (seed %i)',
  async (seed) => {
    await scene.clear();
    await scene.applyBot({ push: true });
    const model = new Model(seed);
    await model.claim(0, []);
    for (let step = 0; step < STEPS; step += 1) await model.step();
    await model.drain();
    expect(await scene.commands.keys(`${scene.keys.lane('')}*`)).toEqual([]);
    expect(
      await scene.commands.exists(scene.keys.lanes, scene.keys.inFlight, scene.keys.work, scene.keys.redriven),
    ).toBe(0);
  },
);
