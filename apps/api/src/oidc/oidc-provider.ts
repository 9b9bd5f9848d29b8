import { type Claims, valuesOf } from '@flotilla/domain/people/accounts/identity.ts';
import type { OidcConfig } from '@flotilla/domain/startup/sign-in-settings.ts';
import * as oidc from 'openid-client';

/** The state, the nonce and the code verifier tie the browser that comes back to the sign-in that began here. */
export type OidcAttempt = { state: string; nonce: string; codeVerifier: string };

/**
 * A provider at which people sign in: authorization code with PKCE. Its metadata and keys are read for each sign-in, so that keys
 * may change at any time.
 */
export interface OidcProvider {
  /** Where the browser goes. Rejects if the provider does not answer. */
  begin(): Promise<{ url: URL; attempt: OidcAttempt }>;
  /** The claims about the person, for the query with which the browser came back. Rejects for whatever does not match. */
  finish(query: string, attempt: OidcAttempt): Promise<Claims>;
}

const TIMEOUT_S = 10;
const CLOCK_TOLERANCE_S = 60;

export function oidcProvider(config: OidcConfig): OidcProvider {
  return {
    async begin() {
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(await discover(config), {
        redirect_uri: config.redirectUrl,
        scope: config.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url, attempt };
    },

    async finish(query, attempt) {
      const provider = await discover(config);
      const url = new URL(config.redirectUrl);
      url.search = query;
      const tokens = await oidc.authorizationCodeGrant(provider, url, {
        pkceCodeVerifier: attempt.codeVerifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      if (!lacksClaim(config, claims) || provider.serverMetadata().userinfo_endpoint === undefined) return claims;
      return { ...(await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub)), ...claims };
    },
  };
}

function discover(config: OidcConfig): Promise<oidc.Configuration> {
  const issuer = new URL(config.issuer);
  const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_S };
  return oidc.discovery(issuer, config.clientId, client, authenticationOf(config), {
    // Without it the library trusts the connection alone, and would not look at the signature.
    execute: [oidc.enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [])],
    timeout: TIMEOUT_S,
  });
}

/** Basic unless the provider takes the secret in the body alone: Basic is the default of the standard. */
function authenticationOf({ clientSecret }: OidcConfig): oidc.ClientAuth {
  if (clientSecret === null) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const takesBasic = methods === undefined || methods.includes('client_secret_basic');
    const authenticate = !takesBasic && methods.includes('client_secret_post') ? post : basic;
    return authenticate(server, ...rest);
  };
}

/** Some providers tell groups by userinfo alone. */
function lacksClaim({ roleClaim, botsClaim }: OidcConfig, claims: Claims): boolean {
  return [roleClaim, botsClaim].some((name) => name !== null && valuesOf(claims, name) === undefined);
}
