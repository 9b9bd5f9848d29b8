import { type Fields, readObject, readText } from './platform-fields.ts';

/** A text of the platform is no longer; a checklist may be. */
export const LABEL_CHARACTERS = 4_096;

export const NAME_CHARACTERS = 64;

export function titled(title: string, detail: string | null): string {
  return detail ? `${title}: ${detail}` : title;
}

export function joined(...parts: (string | null)[]): string {
  return parts.filter(Boolean).join(', ');
}

export function person(who: Fields): string | null {
  const name = [readText(who, 'first_name'), readText(who, 'last_name')].filter(Boolean).join(' ');
  return name || readText(who, 'title') || readText(who, 'username') || number(who, 'id') || number(who, 'user_id');
}

export function people(value: unknown): string {
  return list(value, person);
}

export function list(value: unknown, label: (item: Fields) => string | null): string {
  return Array.isArray(value) ? joined(...value.filter(isFields).map(label)) : '';
}

/** Done tasks have a mark, as people see it. */
export function tasks(checklist: Fields): string {
  const marked = (task: Fields) => {
    const isDone = task.completion_date !== undefined && task.completion_date !== 0;
    return isDone ? `✓ ${taskText(task) ?? ''}` : taskText(task);
  };
  return list(checklist.tasks, marked);
}

export function taskText(task: Fields): string | null {
  return readText(task, 'text');
}

// The message with the checklist tells the texts of the tasks.
export function doneTasks(content: Fields): string {
  const { tasks } = object(object(content, 'checklist_message'), 'checklist');
  const texts = new Map(Array.isArray(tasks) ? tasks.filter(isFields).map((task) => [task.id, taskText(task)]) : []);
  const named = (ids: unknown) =>
    joined(...(Array.isArray(ids) ? ids : []).map((id: unknown) => texts.get(id) ?? `task ${id}`));
  const [done, undone] = [named(content.marked_as_done_task_ids), named(content.marked_as_not_done_task_ids)];
  return (
    [done && `Tasks done: ${done}`, undone && `Tasks not done: ${undone}`].filter(Boolean).join('; ') || 'Tasks done'
  );
}

export function gift(content: Fields): string {
  return joined(readText(content, 'text'), stars(object(content, 'gift'), 'star_count'));
}

export function suggested(content: Fields): string | null {
  const message = readObject(content, 'suggested_post_message');
  return message === null ? null : quoted(message);
}

// The platform names amounts of TON in billionths.
export function price(content: Fields): string | null {
  const { amount: count, currency } = content;
  if (typeof count !== 'number') return null;
  if (currency === 'XTR') return stars(content, 'amount');
  return currency === 'TON' ? `${count / 1e9} TON` : `${count} smallest units of ${currency}`;
}

export function quoted(message: Fields): string {
  return readText(message, 'text') || readText(message, 'caption') || `message ${number(message, 'message_id')}`;
}

export function community(content: Fields): string | null {
  return readText(object(content, 'community'), 'name');
}

export function position({ latitude, longitude }: Fields): string {
  return joined(degrees(latitude), degrees(longitude));
}

// Six decimals are about a tenth of a metre.
function degrees(value: unknown): string | null {
  return typeof value === 'number' ? String(Number(value.toFixed(6))) : null;
}

// Amounts are in the currency's smallest unit. We do not have the platform's list that says which unit that is.
export function amount(payment: Fields): string | null {
  const currency = readText(payment, 'currency');
  if (currency === 'XTR') return stars(payment, 'total_amount');
  return currency === null ? null : `${number(payment, 'total_amount')} smallest units of ${currency}`;
}

export function stars(content: Fields, key: string): string | null {
  const count = number(content, key);
  return count === null ? null : `${count} stars`;
}

export function moment(unixS: unknown): string | null {
  const date = new Date(Number(unixS) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

export function number(content: Fields, key: string): string | null {
  return typeof content[key] === 'number' ? String(content[key]) : null;
}

export function object(fields: Fields, key: string): Fields {
  return readObject(fields, key) ?? {};
}

export function sentence(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function bounded(text: string, characters: number): string {
  const printable = text.replaceAll('\u0000', '').replaceAll(/\s+/g, ' ').trim();
  if (printable.length <= characters) return printable;
  return `${printable.slice(0, characters - 1).toWellFormed()}…`;
}

export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
