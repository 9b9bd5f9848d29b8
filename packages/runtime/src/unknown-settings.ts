import { SETTING_NAMES } from './setting-names.ts';

const PREFIX = 'FLOTILLA_';
/** A shorter name is one letter from too many others. */
const SHORTEST_NAME = 8;
/** Kubernetes describes each service of a namespace in the environment of its pods. */
const OF_KUBERNETES = /_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;
const KNOWN: ReadonlySet<string> = new Set(SETTING_NAMES);

/** A sentence for each variable that looks like a setting of ours and is none, with the name that was meant. */
export function unknownSettings(env: Record<string, string | undefined>): string[] {
  return Object.keys(env).flatMap((name) => {
    if (KNOWN.has(name) || OF_KUBERNETES.test(name)) return [];
    const meant = nearestName(name);
    if (meant !== undefined) return [`  ${name}: there is no such setting; did you mean ${meant}?`];
    return name.startsWith(PREFIX) ? [`  ${name}: there is no such setting`] : [];
  });
}

function nearestName(name: string): string | undefined {
  const bare = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  if (KNOWN.has(bare)) return bare;
  return name.length < SHORTEST_NAME ? undefined : SETTING_NAMES.find((known) => isOneEditApart(name, known));
}

/** True if one letter was added, left out or replaced. */
function isOneEditApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const rest = short.length === long.length ? at + 1 : at;
  return long.length - short.length <= 1 && short.slice(rest) === long.slice(at + 1);
}
