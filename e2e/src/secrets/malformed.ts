/** Invalid settings with a secret in a wrong place. */
export const malformedSettings = (
  secret: string,
): readonly (readonly [connector: string, settings: object])[] => {
  const url = 'https://example.com/';
  return [
    ['http', { url: secret }],
    ['http', { url: `https://user:${encodeURIComponent(secret)}@example.com/` }],
    ['http', { url, token: secret }],
    ['http', { url, method: secret }],
    ['http', { url, auth: secret }],
    ['http', { url, auth: [secret] }],
    ['http', { url, auth: { type: secret } }],
    ['http', { url, auth: { type: 'bearer', token: [secret] } }],
    ['http', { url, auth: { type: 'bearer', token: `${secret}\n` } }],
    ['http', { url, auth: { type: 'basic', username: `a:${secret}`, password: secret } }],
    ['http', { url, headers: [{ name: `a b${secret}`, value: 'v' }] }],
    ['http', { url, headers: [{ name: 'X-Key', value: `${secret}\n`, secret: true }] }],
    ['http', { url, headers: [{ name: 'X-Key', value: 'v', secret }] }],
    ['http', { url, headers: { 'X-Key': secret } }],
    ['http', { url, signingSecret: secret.repeat(10) }],
    ['http', { url, batchSize: secret }],
    ['posthog', { apiKey: [secret], cloud: { projectRegion: secret } }],
    ['posthog', { apiKey: `${secret} `, selfHosted: { url: secret } }],
    ['mixpanel', { projectID: { secret }, projectToken: secret, dataResidency: secret }],
    ['google-analytics', { measurementID: secret, apiSecret: `${secret}\n` }],
    ['klaviyo', { privateAPIKey: secret }],
    ['brevo', { apiKey: secret, baseURL: `https://example.com/?${secret}` }],
  ];
};

export const malformedSources = (
  secret: string,
): readonly (readonly [connector: string, settings: object])[] => [
  ['webhook', { signature: secret }],
  ['webhook', { signature: { header: `X ${secret}`, secret: [secret] } }],
  ['webhook', { signature: { header: 'X-Signature', secret, algorithm: secret } }],
  ['webhook', { mapping: { event: `body.${secret}(` } }],
  ['segment', { sharedSecret: secret.repeat(10) }],
  ['mailchimp', { apiKey: secret, audience: secret }],
  ['klaviyo', { privateAPIKey: secret }],
  ['brevo', { apiKey: `${secret}\n` }],
];

/** Bodies that are not JSON, or not the expected JSON. */
export const malformedBodies = (secret: string): readonly string[] => [
  `{"settings":{"token":${secret}}}`,
  `{"settings":{"token":${JSON.stringify(secret)}`,
  `{"name":${JSON.stringify(secret)},"name":${JSON.stringify(secret)}}`,
  JSON.stringify(secret),
  JSON.stringify({ role: secret, settings: secret, connector: [secret], sendingMode: secret }),
];
