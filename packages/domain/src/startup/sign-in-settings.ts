import { integerSetting, switchSetting, urlSetting } from '@flotilla/runtime/settings.ts';
import { z } from 'zod';
import { usernameKey } from '../people/accounts/username-key.ts';

export const START_PATH = '/api/auth/oidc/start';
export const CALLBACK_PATH = '/api/auth/oidc/callback';

const SEES = 'see sign-in.md';
const claim = () => z.string().min(1).max(256, 'must have at most 256 characters').optional();

/** How people sign in to the console and to REST. */
export const signInSettings = {
  SIGN_IN: z
    .string()
    .toLowerCase()
    .transform((value) => value.split(',').map((way) => way.trim()))
    .pipe(z.array(z.enum(['password', 'oidc'], 'must be password, oidc or both, separated by commas')).min(1))
    .default(['password', 'oidc'])
    .describe(
      `The ways to sign in, separated by commas: password, oidc. Without password only ADMIN_USERNAME may use one, ${SEES}.`,
    ),
  SECOND_FACTOR: z
    .enum(['optional', 'admins', 'all'], 'must be optional, admins or all')
    .default('optional')
    .describe(
      `Who must set up an authenticator app before a session that began with a password may do anything, ${SEES}.`,
    ),
  OIDC_ISSUER: urlSetting('https', 'http')
    .refine(isSafeIssuer, 'must be https, or http on this machine')
    .optional()
    .describe(`The identity provider: the URL of its issuer. Needs PUBLIC_URL and OIDC_CLIENT_ID, ${SEES}.`),
  OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .max(512, 'must have at most 512 characters')
    .optional()
    .describe('The id of Flotilla at the provider.'),
  OIDC_CLIENT_SECRET: z
    .string()
    .min(8, 'must have at least 8 characters')
    .optional()
    .describe('The secret of Flotilla at the provider; without it Flotilla is a public client.'),
  OIDC_SCOPES: z
    .string()
    .regex(/^[!-~]+( [!-~]+)*$/, 'must be scopes such as openid profile, separated by spaces')
    .refine((scopes) => scopes.split(' ').includes('openid'), 'must include openid')
    .default('openid profile email')
    .describe('What Flotilla asks the provider for.'),
  OIDC_NAME: z
    .string()
    .max(64, 'must have at most 64 characters')
    .optional()
    .describe('The name of the provider on the page that signs in; without it the host of the issuer.'),
  OIDC_CREATE_ACCOUNTS: switchSetting(true).describe(
    '0: only accounts that an admin made or linked may sign in. 1: an account is made at the first sign-in of a person.',
  ),
  OIDC_ROLE_CLAIM: claim().describe(
    'The claim that decides the role at every sign-in, such as groups or realm_access.roles; needs OIDC_ADMIN_VALUES. Without it admins decide.',
  ),
  OIDC_ADMIN_VALUES: z
    .string()
    .transform((values) => values.split(',').map((value) => value.trim()))
    .transform((values) => values.filter((value) => value !== ''))
    .default([])
    .describe('Values of that claim that make an admin, separated by commas. Everybody else is a user.'),
  OIDC_BOTS_CLAIM: claim().describe(
    'The claim that names the bots of a user at every sign-in: ids, @usernames, label:<name>, or * for all. Without it admins decide.',
  ),
  OIDC_SESSION_HOURS: integerSetting({ min: 1, max: 720 })
    .default(24)
    .describe(
      'A session that began at the provider ends after so long; then the provider is asked again. A person who is disabled there is out by then.',
    ),
} as const;

type SignInSettings = z.output<z.ZodObject<typeof signInSettings>>;

/** The provider at which people sign in. */
export type OidcConfig = {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  scopes: string;
  name: string;
  /** Where it sends people back to. */
  redirectUrl: string;
  createsAccounts: boolean;
  /** null: admins decide. */
  roleClaim: string | null;
  adminValues: string[];
  botsClaim: string | null;
  sessionMs: number;
};

export type SignInConfig = {
  /** False: only the local admin may use one. */
  passwords: boolean;
  /** Who needs more than a password. */
  secondFactor: 'optional' | 'admins' | 'all';
  /** The username of the local admin, as it is compared. */
  localAdmin: string;
  oidc: OidcConfig | null;
};

export function signInConfig(
  settings: SignInSettings & { ADMIN_USERNAME: string; PUBLIC_URL?: string | undefined },
): SignInConfig {
  const { SIGN_IN: ways, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = settings;
  const known = {
    passwords: ways.includes('password'),
    secondFactor: settings.SECOND_FACTOR,
    localAdmin: usernameKey(settings.ADMIN_USERNAME),
  };
  if (!ways.includes('oidc') || !issuer || !clientId || !publicUrl) return { ...known, oidc: null };
  return {
    ...known,
    oidc: {
      issuer,
      clientId,
      clientSecret: settings.OIDC_CLIENT_SECRET ?? null,
      scopes: settings.OIDC_SCOPES,
      name: settings.OIDC_NAME ?? new URL(issuer).hostname,
      redirectUrl: `${publicUrl}${CALLBACK_PATH}`,
      createsAccounts: settings.OIDC_CREATE_ACCOUNTS,
      roleClaim: settings.OIDC_ROLE_CLAIM ?? null,
      adminValues: settings.OIDC_ADMIN_VALUES,
      botsClaim: settings.OIDC_BOTS_CLAIM ?? null,
      sessionMs: settings.OIDC_SESSION_HOURS * 3_600_000,
    },
  };
}

/** Settings of sign-in that contradict each other. */
export function signInFaults(settings: SignInSettings & { PUBLIC_URL?: string | undefined }): string[] {
  const faults: string[] = [];
  const { SIGN_IN: ways, OIDC_ISSUER: issuer } = settings;
  if (issuer === undefined) {
    if (!ways.includes('password')) faults.push('SIGN_IN: without password it needs OIDC_ISSUER');
    return faults;
  }
  if (settings.OIDC_CLIENT_ID === undefined) faults.push('OIDC_CLIENT_ID: is required with OIDC_ISSUER');
  if (settings.PUBLIC_URL === undefined) {
    faults.push('PUBLIC_URL: is required with OIDC_ISSUER, because the provider sends people back to it');
  }
  if ((settings.OIDC_ROLE_CLAIM === undefined) !== (settings.OIDC_ADMIN_VALUES.length === 0)) {
    faults.push('OIDC_ROLE_CLAIM, OIDC_ADMIN_VALUES: go together, or nobody would be an admin');
  }
  return faults;
}

/** The provider's answers are trusted, so nobody on the way may change them. */
function isSafeIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer)) return true;
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
