import { randomInt } from 'node:crypto';
import { badRequest } from '../bot-api-error.ts';
import { boolean, integer, json, jsonObject, type Params, text } from '../http/params.ts';
import { formatText } from '../messages/read-text.ts';
import { newQueryId } from '../simulator.ts';
import type { Call } from './call.ts';
import { send } from './send.ts';

export function sendLocation(call: Call): Promise<unknown> {
  return send(call, 'can_send_other_messages', () => {
    const live_period = integer(call.params, 'live_period', 0);
    return { location: { ...readPoint(call.params), ...(live_period > 0 && { live_period }) } };
  });
}

export function sendVenue(call: Call): Promise<unknown> {
  return send(call, 'can_send_other_messages', () => {
    const location = readPoint(call.params);
    const title = text(call.params, 'title');
    const address = text(call.params, 'address');
    if (title === '' || address === '') throw badRequest('venue title and address must be non-empty');
    return { location, venue: { location, title, address } };
  });
}

export function sendContact(call: Call): Promise<unknown> {
  return send(call, 'can_send_other_messages', () => {
    const [phone, first, last] = ['phone_number', 'first_name', 'last_name'].map((name) => text(call.params, name));
    if (!phone) throw badRequest('phone number is empty');
    if (!first) throw badRequest('first name is empty');
    return { contact: { phone_number: phone, first_name: first, ...(last && { last_name: last }) } };
  });
}

export function sendGame(call: Call): Promise<unknown> {
  return send(call, 'can_send_other_messages', () => {
    const name = text(call.params, 'game_short_name');
    if (name === '') throw badRequest('GAME_SHORTNAME_INVALID');
    return { game: { title: name, description: name, photo: [] } };
  });
}

export function sendChecklist(call: Call): Promise<unknown> {
  return send(call, 'can_send_other_messages', () => ({ checklist: readChecklist(call.params) }));
}

export function readChecklist(params: Params): Record<string, unknown> {
  const given = jsonObject(params, 'checklist');
  if (given === undefined || !Array.isArray(given.tasks)) throw badRequest("can't parse checklist JSON object");
  return given;
}

const DICE: Record<string, number> = { '🎲': 6, '🎯': 6, '🎳': 6, '🏀': 5, '⚽': 5, '🎰': 64 };

export function sendDice(call: Call): Promise<unknown> {
  return send(call, 'can_send_other_messages', () => {
    const emoji = text(call.params, 'emoji') || '🎲';
    const sides = DICE[emoji];
    if (sides === undefined) throw badRequest('wrong dice emoji specified');
    return { dice: { emoji, value: randomInt(1, sides + 1) } };
  });
}

export async function sendPoll(call: Call): Promise<unknown> {
  let poll: ReturnType<typeof readPoll> | undefined;
  const message = await send(call, 'can_send_polls', () => {
    poll = readPoll(call);
    return { poll };
  });
  const chatKey = message.chat.type === 'private' ? `${call.bot.user.id}:${message.chat.id}` : String(message.chat.id);
  const sent = { chatKey, messageId: message.message_id, botId: call.bot.user.id, votes: new Map() };
  call.sim.polls.set(poll!.id, sent);
  call.sim.storage.savePoll(poll!.id, sent);
  return message;
}

function readPoll({ sim, params }: Call) {
  const question = formatText(text(params, 'question'), text(params, 'question_parse_mode'), undefined).text;
  if (question === '') throw badRequest('poll question must be non-empty');
  const given = json(params, 'options');
  if (!Array.isArray(given)) throw badRequest("can't parse options JSON object");
  if (given.length < 2) throw badRequest('poll must have at least 2 option');
  if (given.length > 12) throw badRequest("poll can't have more than 12 options");
  const options = given.map((option: unknown) => ({
    text: typeof option === 'string' ? option : String((option as { text?: unknown } | null)?.text ?? ''),
    voter_count: 0,
  }));
  if (options.some((option) => option.text === '')) throw badRequest('poll options must be non-empty');
  const anonymous = text(params, 'is_anonymous');
  return {
    id: newQueryId(sim),
    question,
    options,
    total_voter_count: 0,
    is_closed: boolean(params, 'is_closed'),
    is_anonymous: anonymous === '' || boolean(params, 'is_anonymous'),
    type: text(params, 'type') === 'quiz' ? 'quiz' : 'regular',
    allows_multiple_answers: boolean(params, 'allows_multiple_answers'),
    ...(text(params, 'type') === 'quiz' && { correct_option_id: integer(params, 'correct_option_id', 0) }),
  };
}

export function readPoint(params: Params): { latitude: number; longitude: number } {
  const latitude = Number(text(params, 'latitude') || Number.NaN);
  const longitude = Number(text(params, 'longitude') || Number.NaN);
  if (!(Math.abs(latitude) <= 90)) throw badRequest("can't parse location: latitude is invalid");
  if (!(Math.abs(longitude) <= 180)) throw badRequest("can't parse location: longitude is invalid");
  return { latitude, longitude };
}
