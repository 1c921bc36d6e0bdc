import type { ApiClient } from '../harness/api-client';
import { type Installation, showingOutput } from '../harness/installation';
import type { Place } from './place';

let installation: Installation;
let api: ApiClient;
let workspace: string;

const text = { kind: 'string' };
const property = (name: string, flags: object = {}) => ({ name, type: text, ...flags });
const COMMON = {
  name: 'Users',
  target: 'User',
  transformation: { mapping: { email: 'lower(email)' } },
  outSchema: { kind: 'object', properties: [property('email', { readOptional: true })] },
};

const KINDS = [
  {
    connector: 'dummy',
    members: {
      inSchema: {
        kind: 'object',
        properties: [property('email'), property('firstName', { nullable: true })],
      },
      filter: {
        logical: 'and',
        conditions: [{ property: 'firstName', operator: 'is not null' }],
      },
      incremental: true,
    },
  },
  {
    connector: 'filesystem',
    members: {
      format: 'csv',
      path: 'in/users.csv.gz',
      compression: 'Gzip',
      formatSettings: { hasColumnNames: true, separator: ';' },
      userIDColumn: 'id',
      updatedAtColumn: 'changed',
      updatedAtFormat: '%d.%m.%Y %H:%M',
      inSchema: {
        kind: 'object',
        properties: [property('id'), property('email'), property('changed')],
      },
    },
  },
] as const;

interface View {
  readonly version: number;
  readonly [name: string]: unknown;
}

const request = async (method: string, path: string, body: object, headers: object) => {
  const response = await fetch(new URL(path, installation.address), {
    method,
    headers: {
      Authorization: `Bearer ${installation.apiKey}`,
      'Penstock-Workspace': workspace,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};

/** Imports of users, as they are configured. */
export const imports = (place: () => Place): void => {
  beforeAll(() => {
    ({ installation } = place());
    ({ api, id: workspace } = place().first);
  });

  it.each(KINDS)(
    'a pipeline that imports from $connector is made, read, sent back, changed and deleted',
    ({ connector, members }) =>
      showingOutput(
        () => installation,
        async () => {
          const source = { name: 'Source', role: 'Source', connector, settings: {} } as const;
          const connection = await api.createConnection(source);
          const body = { ...COMMON, ...members, connection };
          const dryRun = await request('POST', '/v1/pipelines?dryRun=true', body, {});
          expect(dryRun.status).toBe(200);
          const once = { 'Idempotency-Key': `import-${connector}` };
          const made = await request('POST', '/v1/pipelines', body, once);
          expect(await request('POST', '/v1/pipelines', body, once)).toEqual(made);
          const { id } = JSON.parse(made.text) as { id: string };
          const path = `/v1/pipelines/${id}`;
          const view = (await api.call('GET', path)) as View;
          expect(view).toMatchObject({ connection, target: 'User', eventType: null, version: 1 });
          expect(view).toMatchObject({ name: 'Users', enabled: false, ...members });
          await api.call('PUT', path, view);
          expect(await api.call('GET', path)).toEqual(view);
          const changed = { ...view, name: 'Others', incremental: false };
          expect(await request('PUT', path, changed, { 'If-Match': '"9"' })).toMatchObject({
            status: 409,
          });
          await api.call('PUT', path, changed);
          await api.call('PUT', `${path}/status`, { enabled: true });
          const now = { ...changed, enabled: true, version: 3 };
          expect(await api.call('GET', path)).toEqual(now);
          const list = `/v1/pipelines?connection=${connection}`;
          expect(await api.call('GET', list)).toMatchObject({ pipelines: [now] });
          expect(await api.call('GET', `${path}/metrics`)).toBeDefined();
          for (const what of ['replays', 'redrives', 'conservation'])
            await expect(api.call('GET', `${path}/${what}`)).rejects.toMatchObject({ status: 404 });
          await api.call('DELETE', path);
          await expect(api.call('GET', path)).rejects.toMatchObject({ status: 404 });
        },
      )(),
  );

  it('what is wrong is named by its place', async () => {
    const connection = await api.createConnection({
      name: 'Files',
      role: 'Source',
      connector: 'filesystem',
      settings: {},
    });
    const [, { members }] = KINDS;
    const create = (changes: object) =>
      request('POST', '/v1/pipelines', { ...COMMON, ...members, connection, ...changes }, {});
    const wrong = await create({ path: '../users.csv', sheet: 'S', updatedAtFormat: '%Y %Q' });
    expect(wrong.status).toBe(400);
    const { error } = JSON.parse(wrong.text) as { error: { details: { path: string }[] } };
    expect(error.details.map(({ path }) => path)).toEqual(['/sheet', '/path', '/updatedAtFormat']);
    const noFormat = await create({ format: 'xml' });
    expect(noFormat).toMatchObject({ status: 422 });
    expect(noFormat.text).toContain('FormatNotExist');
  });
};
