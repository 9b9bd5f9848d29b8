import { codeAt } from '@flotilla/domain/people/accounts/totp.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { startIdentityProvider } from '@flotilla/testing/identity-provider.ts';
import { expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
import { openConsole, picture } from './open-console.ts';

const ADA = ['ada', 'a password of ada'] as const;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const suite = consoleSuite({ apis: 1, workers: 0 }, { SECOND_FACTOR: 'admins' });

/** The code that an app shows for a secret that was typed into it. */
function codeOf(secret: string, steps: number): string {
  const bits = [...secret].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2));
  return codeAt(Buffer.from(bytes), Date.now() + steps * 30_000);
}

test(
  'a person sets up an authenticator app, signs in with its code, and removes it',
  async () => {
    await suite.fleet.rest('/api/auth/users/add', { username: ADA[0], password: ADA[1], role: 'user' });
    const { page, signIn, faults, complaints } = await suite.open('access?view=sessions');
    await signIn(...ADA);
    await page.getByRole('button', { name: 'Set up…' }).click();
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(ADA[1]);
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    expect(await faults()).toEqual([]);
    await picture(page, 'second-factor-set-up');
    const secret = (await page.locator('code.secret').textContent())!;
    await page.getByLabel('Code from the app').fill(codeOf(secret, -1));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    expect(await page.locator('.recovery-codes code').count()).toBe(10);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('10 recovery codes are left').waitFor();
    // Later its session is ended, which the browser reports.
    expect(complaints.filter((line) => !line.includes('/api/live'))).toEqual([]);

    const again = await suite.open('access?view=sessions');
    await again.signIn(...ADA);
    await again.page.getByLabel('Code from your authenticator app').fill('000000');
    await again.page.keyboard.press('Enter');
    await again.page.getByText('The code is wrong, or it was used').waitFor();
    await again.page.getByLabel('Code from your authenticator app').fill(codeOf(secret, 0));
    await again.page.keyboard.press('Enter');
    await again.page.getByRole('button', { name: 'Remove the app…' }).click();
    const asking = again.page.getByRole('dialog', { name: 'Remove the authenticator app?' });
    await asking.getByLabel('Password', { exact: true }).fill(ADA[1]);
    await asking.getByLabel('Code from the app').fill(codeOf(secret, 1));
    await again.page.keyboard.press('Enter');
    await again.page.getByText('a stolen password is worth nothing').waitFor();
  },
  TEST_MS,
);

test(
  'an admin who needs a second factor sees nothing else until there is one',
  async () => {
    const { page, signIn, faults, complaints } = await suite.open();
    await signIn('admin', 'a password for tests');
    await page.getByText('Your account needs a second factor').waitFor();
    expect(await faults()).toEqual([]);
    await page.getByLabel('Password', { exact: true }).fill('a password for tests');
    await page.keyboard.press('Enter');
    const secret = (await page.locator('code.secret').textContent())!;
    await page.getByLabel('Code from the app').fill(codeOf(secret, 0));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a person adds a passkey, signs in with it, and removes it by itself; at another address the browser gives none',
  async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const api = await suite.fleet.start('api', { PUBLIC_URL: url }, port);
    const vera = ['vera', 'a password of vera'] as const;
    await suite.fleet.rest('/api/auth/users/add', { username: vera[0], password: vera[1], role: 'user' });
    const { page, context, signIn, faults } = await openConsole(suite.browser, url, 'access?view=sessions');
    try {
      const devtools = await context.newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
          ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
        },
      });
      const isVerified = (isUserVerified: boolean) =>
        devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
      await signIn(...vera);
      await page.getByRole('button', { name: 'Add a passkey…' }).click();
      const adding = page.getByRole('dialog', { name: 'Add a passkey' });
      await adding.getByLabel('Name').fill('This laptop');
      await adding.getByLabel('Password', { exact: true }).fill(vera[1]);
      expect(await faults()).toEqual([]);
      await isVerified(false);
      await page.keyboard.press('Enter');
      await adding.getByText('No passkey was made').waitFor();
      await isVerified(true);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      await page.getByRole('button', { name: 'I have saved it' }).click();
      await page.getByRole('list', { name: 'Passkeys' }).getByText('This laptop').waitFor();
      expect(await faults()).toEqual([]);
      await picture(page, 'second-factor-passkeys');

      const at = async (origin: string) => {
        await context.clearCookies();
        await page.goto(`${origin}/console/access?view=sessions`);
        await signIn(...vera);
        await page.getByRole('button', { name: 'Use a passkey' }).click();
      };
      await at(`http://127.0.0.1:${port}`);
      await page.getByText('No passkey was used').waitFor();
      await at(url);
      await page.getByRole('button', { name: 'Remove This laptop' }).click();
      await page.getByLabel('Password', { exact: true }).fill(vera[1]);
      await page.keyboard.press('Enter');
      await page.getByText('a stolen password is worth nothing').waitFor();
    } finally {
      await context.close();
      await api.stop();
    }
  },
  TEST_MS,
);

test(
  'a person signs in at the identity provider, and is told why that failed',
  async () => {
    const [provider, port] = await Promise.all([startIdentityProvider(), freePort()]);
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      PUBLIC_URL: url,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'flotilla',
      OIDC_NAME: 'Example',
    };
    const api = await suite.fleet.start('api', settings, port);
    provider.person = { sub: 'grace', preferred_username: 'grace', name: 'Grace Hopper' };
    const { page, context, faults } = await openConsole(suite.browser, url, 'access?view=sessions');
    try {
      provider.forge = { claims: { nonce: 'of another sign-in' } };
      const enter = page.getByRole('link', { name: 'Sign in with Example' });
      await enter.click();
      await page.getByText('cannot be trusted').waitFor();
      expect(page.url()).not.toContain('sign_in');
      expect(await faults()).toEqual([]);
      await picture(page, 'sign-in-provider');
      provider.forge = {};
      await page.goto(`${url}/console/access?view=sessions`);
      await enter.click();
      await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
      expect(page.url()).toBe(`${url}/console/access?view=sessions`);
      await page.getByText('Grace Hopper').first().waitFor();
    } finally {
      await context.close();
      await api.stop();
      await provider.stop();
    }
  },
  TEST_MS,
);
