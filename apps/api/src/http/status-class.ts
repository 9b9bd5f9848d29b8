/** What became of a request, as a metric's label: few values, whatever is answered. */
export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '429' | '5xx' | 'client_gone';

const CLIENT_GONE = 499;
const BY_HUNDREDS: StatusClass[] = ['5xx', '1xx', '2xx', '3xx', '4xx', '5xx'];

/** 499 is what nginx, too, calls a client that went before it was answered. */
export function statusClass(status: number): StatusClass {
  if (status === 429) return '429';
  if (status === CLIENT_GONE) return 'client_gone';
  return BY_HUNDREDS[Math.floor(status / 100)] ?? '5xx';
}
