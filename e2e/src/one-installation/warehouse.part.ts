import type { ApiClient } from '../harness/api-client';
import type { Place } from './place';

interface Warehouse {
  readonly platform: string;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly mcpSettings: object | null;
  readonly mode: string;
}

let api: ApiClient;

const get = async (): Promise<Warehouse> => (await api.call('GET', '/v1/warehouse')) as Warehouse;

/** The shown settings with the member names of a request. */
const given = ({ settings }: Warehouse): object =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.charAt(0).toLowerCase() + name.slice(1),
      value,
    ]),
  );

/** The warehouse that the database of the installation contains. */
export const warehouse = (place: () => Place): void => {
  beforeAll(() => {
    ({ api } = place().first);
  });

  it('is a schema of the embedded database in a new installation', async () => {
    expect(await get()).toMatchObject({
      platform: 'PostgreSQL',
      settings: { Host: '127.0.0.1', Username: 'penstock_warehouse', Schema: 'warehouse' },
      mcpSettings: null,
      mode: 'Normal',
    });
  });

  it('accepts its own settings, and not those of another warehouse', async () => {
    const settings = given(await get());
    await api.call('PUT', '/v1/warehouse/test', { settings });
    await api.call('PUT', '/v1/warehouse', { settings, mode: 'Inspection' });
    expect(await get()).toMatchObject({ mode: 'Inspection' });
    const others = { ...settings, schema: 'public' };
    await expect(api.call('PUT', '/v1/warehouse/test', { settings: others })).rejects.toMatchObject(
      {
        status: 422,
        body: expect.stringContaining('InvalidWarehouseSettings') as string,
      },
    );
    const writing = { settings, mcpSettings: settings };
    await expect(api.call('PUT', '/v1/warehouse', writing)).rejects.toMatchObject({
      status: 422,
      body: expect.stringContaining('"warehouse MCP settings are not read-only"') as string,
    });
  });

  it('changes its mode, and is repaired in every mode', async () => {
    for (const mode of ['Maintenance', 'Inspection', 'Normal']) {
      await api.call('PUT', '/v1/warehouse/mode', { mode });
      expect(await get()).toMatchObject({ mode });
      await api.call('POST', '/v1/warehouse/repair');
    }
  });
};
