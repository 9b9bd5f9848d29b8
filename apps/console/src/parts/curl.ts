type Shown = { method: string; url: string; headers: Readonly<Record<string, string>> };

const MASK = /\*{4}/g;
const PLACEHOLDER = 'YOUR_SECRET';

/** A line for a shell that sends the request again. Secrets, which are masked, become a word to fill in. */
export function curlOf({ method, url, headers }: Shown, body: string | null): string {
  return [
    `curl -X ${method} ${quoted(url.replace(MASK, PLACEHOLDER))}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value.replace(MASK, PLACEHOLDER)}`)}`),
    body === null ? '--data-binary @update.json' : `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** One word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
