import { platformClient } from '@flotilla/telegram/platform-client.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { afterEach, expect, test } from '@jest/globals';
import { openFile } from './open-file.ts';

let platform: TestBackend;
afterEach(() => platform.stop());

/** Opens a file at a platform that answers its download with this status. */
async function open(status: number) {
  platform = await startBackend(({ url }, response) => {
    if (url.startsWith('/file/')) response.writeHead(status).end();
    else response.end('{"ok":true,"result":{"file_id":"f","file_path":"documents/1"}}');
  });
  return openFile({ platform: platformClient({ apiUrl: platform.url }) }, aBot({}), 'f');
}

test('a file that the platform does not keep any more is refused, with its status', async () => {
  await expect(open(404)).rejects.toMatchObject({ code: 'platform_refused', platformErrorCode: 404 });
});

test('a platform that fails is not taken for one that refuses', async () => {
  await expect(open(500)).rejects.toMatchObject({ code: 'platform_failed' });
});

test('a part outside of the file is none', async () => {
  expect(await open(416)).toBeNull();
});
