/** Bodies of calls to the Bot API, in each of its forms. */
export const post = (type: string, body: string | ReadableStream): RequestInit => ({
  ...{ method: 'POST', body, headers: { 'content-type': type } },
  ...(typeof body === 'string' ? {} : { duplex: 'half' }),
});

export const json = (body: object | string) =>
  post('application/json', typeof body === 'string' ? body : JSON.stringify(body));

export const form = (...parts: string[]) => post('multipart/form-data; boundary=b', `${parts.join('')}--b--\r\n`);

/** A part of a form; `more` goes on in its header. */
export const part = (name: string, content: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

export const file = (name: string, bytes = 10) => part(name, 'x'.repeat(bytes), '; filename="a.bin"');
