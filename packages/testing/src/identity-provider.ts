import { OAuth2Server } from 'oauth2-mock-server';

type Claims = Record<string, unknown>;

/** An identity provider at which the person of the moment is signed in already. */
export interface IdentityProvider {
  issuer: string;
  /** Whoever signs in next. */
  person: Claims;
  /** Replaces parts of the next answers. */
  forge: { idToken?: (token: string) => string; claims?: Claims; redirect?: (query: URLSearchParams) => void };
  /** Claims that userinfo adds. */
  userinfo: Claims;
  /** Another key, under the same name. */
  rotateKeys(): Promise<unknown>;
  stop(): Promise<void>;
  /** Serves again at the same address. */
  restart(): Promise<void>;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const server = new OAuth2Server();
  const rotateKeys = () => server.issuer.keys.generate('RS256', { kid: 'key' });
  await rotateKeys();
  await server.start(0, '127.0.0.1');
  const { port } = server.address();
  const issuer = server.issuer.url!;
  const provider: IdentityProvider = {
    issuer,
    person: { sub: 'somebody' },
    forge: {},
    userinfo: {},
    rotateKeys,
    stop: () => server.stop(),
    restart: async () => {
      server.issuer.url = issuer;
      await server.start(port, '127.0.0.1');
    },
  };
  server.service.on('beforeTokenSigning', ({ payload }: { payload: Claims }) => {
    Object.assign(payload, provider.person, provider.forge.claims);
  });
  server.service.on('beforeUserinfo', (answer: { body: Claims }) => {
    answer.body = { sub: provider.person.sub, ...provider.userinfo };
  });
  server.service.on('beforeResponse', ({ body }: { body: Claims }) => {
    const { idToken } = provider.forge;
    if (idToken !== undefined) body.id_token = idToken(String(body.id_token));
  });
  server.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => provider.forge.redirect?.(url.searchParams));
  return provider;
}
