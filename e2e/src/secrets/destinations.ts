import type { PlantedSecrets } from '../harness/planted-secrets';

/** The state of a delivery in the end. */
type Ending = 'Delivered' | 'Rejected' | 'Waiting';

export interface Destination {
  readonly name: string;
  readonly connector: string;
  readonly settings: object;
  readonly eventType: string;
  readonly transformation?: object;
  readonly ending: Ending;
  /** Pattern of the stored reason. */
  readonly reason?: RegExp;
}

/** The reason contains a masked secret, which the answer had repeated. */
const MASKED = /••••/;

const endingOf = (path: string): Ending =>
  path.startsWith('200') ? 'Delivered' : path.startsWith('400') ? 'Rejected' : 'Waiting';

const functionOf = (language: string, source: string): object => ({
  function: { source, language, preserveJSON: false, inPaths: [], outPaths: ['properties'] },
});

const JAVASCRIPT =
  'const transform = () => { throw new Error(JSON.stringify(globalThis.process?.env ?? "none")); };';

const PYTHON = `def transform(event):
    import os
    raise ValueError(dict(os.environ))
`;

/** Destinations with secrets in all places that may have one; most repeat them in their answers. */
export const destinations = (
  { secrets, urls, canaries }: Readonly<Record<'secrets' | 'urls' | 'canaries', PlantedSecrets>>,
  echo: string,
): readonly Destination[] => {
  const http = (path: string, origin = echo): Destination => {
    const plant = (what: string): string => secrets.plant(`${what} of http ${path}`);
    const auth =
      path.includes('200') || path.includes('html')
        ? { type: 'basic', username: 'user', password: plant('password') }
        : { type: 'bearer', token: plant('token') };
    return {
      name: `http ${path}`,
      connector: 'http',
      settings: {
        url: `${origin}/${path}?key=${encodeURIComponent(urls.plant(`query of http ${path}`))}`,
        auth,
        headers: [{ name: 'X-Key', value: plant('header'), secret: true }],
        signingSecret: plant('signing secret'),
      },
      eventType: 'send_event',
      ending: endingOf(path),
      ...(path.startsWith('200') ? {} : { reason: MASKED }),
    };
  };
  const unreachable = (name: string, origin: string): Destination => ({
    ...http(name, origin),
    ending: 'Waiting',
    reason: /^[a-zA-Z0-9 ()_]+$/,
  });
  const vendor = (
    connector: string,
    eventType: string,
    path: string,
    settings: object,
  ): Destination => ({
    name: `${connector} ${eventType}`,
    connector,
    settings: { ...settings, baseURL: `${echo}/${path}` },
    eventType,
    ending: endingOf(path),
    reason: MASKED,
  });
  const throwing = (language: string, source: string): Destination => ({
    ...http(`200/text/${language}`),
    eventType: 'send_values',
    transformation: functionOf(language, source),
    ending: 'Rejected',
    reason: /Error/,
  });
  const klaviyo = (core: string): string => `pk_"l\\a/n+t=e<d>&%-${core}-end`;
  return [
    http('200/text/none'),
    http('400/json/authorization'),
    http('400/json/x-key'),
    http('400/html/x-key'),
    http('400/text/url'),
    http('503/html/authorization'),
    http('500/json/url'),
    unreachable('refused', 'http://127.0.0.1:1'),
    unreachable('tls', echo.replace('http:', 'https:')),
    vendor('posthog', 'capture', '400/json/body', {
      apiKey: secrets.plant('PostHog key'),
      cloud: { projectRegion: 'EU' },
    }),
    vendor('mixpanel', 'track', '400/text/authorization', {
      projectID: '1',
      projectToken: secrets.plant('Mixpanel token of events'),
    }),
    vendor('mixpanel', 'set_profile', '400/html/body', {
      projectID: '1',
      projectToken: secrets.plant('Mixpanel token of profiles'),
    }),
    vendor('google-analytics', 'custom', '400/html/url', {
      measurementID: 'G-1',
      apiSecret: secrets.plant('Google secret'),
    }),
    vendor('klaviyo', 'create_event', '500/text/authorization', {
      privateAPIKey: secrets.plant('Klaviyo key', klaviyo),
    }),
    vendor('brevo', 'create_event', '400/json/api-key', { apiKey: secrets.plant('Brevo key') }),
    throwing('JavaScript', JAVASCRIPT),
    throwing('Python', PYTHON),
    {
      name: 'canary',
      connector: 'http',
      settings: {
        url: `${echo}/400/json/x-canary`,
        headers: [{ name: 'X-Canary', value: canaries.plant('repeated header') }],
      },
      eventType: 'send_event',
      ending: 'Rejected',
    },
  ];
};
