import { parseJson, writeJson } from '@penstock/schema';
import { Pool } from 'pg';
import { FILE_FORMATS } from '@penstock/files';
import { describeConnector, describeFormat } from './connector/describe-connector';
import { maskSettings } from './connector/mask-settings';
import { createConnectors } from './connectors';
import { DummyStore } from './dummy/dummy-store';
import { badPaths } from './settings-table.fixture';

const dummyStore = new DummyStore(new Pool());
const connectors = createConnectors({ dummyStore });

const get = (code: string) => {
  const connector = connectors.get(code);
  if (connector === undefined) throw new Error(`no connector ${code}`);
  return connector;
};

const described = (code: string) =>
  JSON.parse(writeJson(describeConnector(get(code)))) as Record<string, unknown>;

describe('the registry', () => {
  it('has every connector, in order', () => {
    expect(connectors.list.map(({ code }) => code)).toEqual([
      'javascript',
      'android',
      'ios',
      'nodejs',
      'python',
      'go',
      'java',
      'dotnet',
      'webhook',
      'segment',
      'rudderstack',
      'http',
      'posthog',
      'mixpanel',
      'google-analytics',
      'klaviyo',
      'brevo',
      'mailchimp',
      'hubspot',
      'stripe',
      's3',
      'sftp',
      'http-get',
      'http-post',
      'postgresql',
      'mysql',
      'clickhouse',
      'snowflake',
      'dummy',
    ]);
  });

  it('has no test application without a place to keep its events', () => {
    expect(createConnectors({}).get('dummy')).toBeUndefined();
  });

  it('has the enabled ones only', () => {
    const few = createConnectors({ dummyStore, enabled: ['http', 'javascript'] });
    expect(few.list.map(({ code }) => code)).toEqual(['javascript', 'http']);
    expect(few.get('http')).toBe(few.list[1]);
    expect(few.get('dummy')).toBeUndefined();
  });

  it('refuses a code that no connector has', () => {
    expect(() => createConnectors({ enabled: ['http', 'HTTP'] })).toThrow(
      new RangeError('no connector has the code HTTP'),
    );
  });

  it('finds no connector by the name of a member', () => {
    expect(connectors.get('constructor')).toBeUndefined();
  });
});

describe.each(connectors.list.map(({ code }) => code))('%s', (code) => {
  it('has a lower-case code and describes itself with the members of the API', () => {
    expect(code).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(Object.keys(described(code))).toEqual([
      'code',
      'label',
      'type',
      'categories',
      'asSource',
      'asDestination',
      'settings',
      'formatSettings',
      'hasSheets',
      'fileExtension',
      'terms',
    ]);
  });

  it('has a role at least, each with what it is for', () => {
    const { asSource, asDestination, ...connector } = get(code);
    const { eventSource, userSource, fileStorage, database } = connector;
    const { eventDestination, userDestination, fileDestination } = connector;
    const source = eventSource ?? userSource ?? fileStorage ?? database;
    expect(asSource !== null).toBe(source !== undefined);
    const ofUsers = userDestination ?? fileDestination ?? database;
    const destination = eventDestination ?? ofUsers;
    expect(asDestination !== null).toBe(destination !== undefined);
    expect(asDestination?.targets.includes('User') === true).toBe(ofUsers !== undefined);
    expect(asSource ?? asDestination).not.toBeNull();
  });
});

describe.each(FILE_FORMATS.map((format) => [format.code, format] as const))(
  '%s',
  (code, format) => {
    const shown = JSON.parse(writeJson(describeFormat(format))) as ReturnType<typeof described>;

    it('describes itself as a connector that no other one has the code of', () => {
      expect(connectors.get(code)).toBeUndefined();
      expect(Object.keys(shown)).toEqual(Object.keys(described('http')));
      expect(shown).toMatchObject({
        ...{ code, type: 'FileFormat', settings: { kind: 'object', properties: [] }, terms: null },
        ...{ hasSheets: code === 'excel', fileExtension: code === 'excel' ? 'xlsx' : code },
        asSource: { targets: ['User'] },
        asDestination: { targets: ['User'], sendingMode: 'Server' },
      });
    });

    it('shows the settings of files that are read, and of files that are written', () => {
      const read = {
        csv: ['separator', 'hasColumnNames', 'numberOfColumns', 'lazyQuotes', 'trimLeadingSpace'],
        excel: ['hasColumnNames'],
        json: ['properties'],
        parquet: [],
      };
      const written: Readonly<Record<string, readonly string[]>> = {
        csv: ['useCRLF'],
        json: ['indent', 'generateASCII', 'allowSpecialFloats'],
      };
      const namesIn = (settings: unknown) =>
        (settings as { properties: { name: string }[] }).properties.map(({ name }) => name);
      const { source, destination } = shown['formatSettings'] as Record<string, unknown>;
      expect(namesIn(source)).toEqual(expect.arrayContaining(read[code as keyof typeof read]));
      expect(namesIn(destination)).toEqual(expect.arrayContaining([...(written[code] ?? [])]));
      expect(namesIn(destination)).not.toContain('properties');
      expect(JSON.stringify(shown)).not.toContain('"text"');
    });
  },
);

describe('SDK sources', () => {
  it.each([
    ['javascript', true],
    ['android', true],
    ['ios', true],
    ['nodejs', false],
    ['python', false],
    ['go', false],
    ['java', false],
    ['dotnet', false],
    ['webhook', false],
    ['segment', false],
    ['rudderstack', false],
  ])('%s takes address and user agent from the request: %s', (code, clientSide) => {
    expect(get(code).eventSource?.clientSide).toBe(clientSide);
  });

  it.each([
    [{}, 'keep'],
    [{ ip: 'keep' }, 'keep'],
    [{ ip: 'mask' }, 'mask'],
    [{ ip: 'drop' }, 'drop'],
  ])('with settings %j do with the address: %s', (plain, policy) => {
    const go = get('go');
    const settings = go.checkSettings(parseJson(JSON.stringify(plain)), 'Source');
    expect(go.eventSource?.ipPolicy(settings)).toBe(policy);
  });

  it.each<[object, string]>([
    [{ ip: 'hide' }, '/ip'],
    [{ ip: null }, '/ip'],
    [{ IP: 'keep' }, '/IP'],
  ])('refuse settings %j', (settings, path) => {
    expect(badPaths(get('go'), settings)).toEqual([path]);
  });

  it('webhooks keep the address', () => {
    expect(get('rudderstack').eventSource?.ipPolicy(new Map())).toBe('keep');
  });
});

it('describes a source', () => {
  expect(described('ios')).toEqual({
    code: 'ios',
    label: 'iOS',
    type: 'SDK',
    categories: ['Mobile'],
    asSource: { targets: ['Event', 'User'], summary: expect.any(String) as string },
    asDestination: null,
    settings: {
      kind: 'object',
      properties: [
        {
          name: 'ip',
          type: { kind: 'string', values: ['keep', 'mask', 'drop'] },
          required: false,
          secret: false,
          default: 'keep',
          description: expect.any(String) as string,
        },
      ],
    },
    formatSettings: null,
    hasSheets: null,
    fileExtension: null,
    terms: null,
  });
});

it('describes limits, defaults and secrets of settings', () => {
  const { settings, asDestination } = described('http') as {
    settings: { properties: { name: string }[] };
    asDestination: unknown;
  };
  expect(asDestination).toMatchObject({ targets: ['Event'], sendingMode: 'Server' });
  const byName = new Map(settings.properties.map((each) => [each.name, each]));
  expect(byName.get('url')).toMatchObject({ required: true, secret: false });
  expect(byName.get('signingSecret')).toMatchObject({
    type: { kind: 'string', minLength: 16, maxLength: 255 },
    required: false,
    secret: true,
  });
  expect(byName.get('batchSize')).toMatchObject({
    type: { kind: 'int', minimum: 1, maximum: 1_000 },
    default: 1,
  });
  expect(byName.get('auth')).toMatchObject({
    nullable: true,
    default: null,
    type: {
      kind: 'object',
      properties: [
        { name: 'type', type: { values: ['basic', 'bearer'] }, required: true },
        { name: 'username', secret: false },
        { name: 'password', secret: true },
        { name: 'token', secret: true },
      ],
    },
  });
});

it.each<[string, object, object]>([
  [
    'http',
    {
      url: 'https://example.com',
      headers: [
        { name: 'A', value: 'shown-1234' },
        { name: 'B', value: 'secret-1234', secret: true },
      ],
      auth: { type: 'basic', username: 'user', password: 'password' },
      signingSecret: '0123456789abcdef',
    },
    {
      url: 'https://example.com',
      method: 'POST',
      headers: [
        { name: 'A', value: 'shown-1234', secret: false },
        { name: 'B', value: '••••1234', secret: true },
      ],
      auth: { type: 'basic', username: 'user', password: '••••word' },
      signingSecret: '••••cdef',
      batchSize: 1,
      timeout: 30,
    },
  ],
  [
    'mixpanel',
    { projectID: '12', projectToken: 'token-5678' },
    { projectID: '12', projectToken: '••••5678', dataResidency: 'US' },
  ],
  ['segment', { sharedSecret: 'teehee' }, { sharedSecret: '••••ehee' }],
  [
    'webhook',
    { signature: { header: 'h', secret: 'teehee' } },
    { signature: { header: 'h', secret: '••••ehee', algorithm: 'sha256' } },
  ],
  ['go', {}, { ip: 'keep' }],
])('masks the settings of %s', (code, plain, expected) => {
  const connector = get(code);
  const settings = connector.checkSettings(parseJson(JSON.stringify(plain)), 'Destination');
  expect(JSON.parse(writeJson(maskSettings(connector, settings)))).toEqual(expected);
});
