import { writeJson } from '@penstock/schema';
import { createWarehouses, settingsOfUrl, type WarehouseSettings } from '@penstock/warehouses';
import { embeddedWarehouseOf, presentWarehouses } from './present-warehouses';

const EMBEDDED = embeddedWarehouseOf('postgres://penstock:x@127.0.0.1:6001/penstock?host=%2Ftmp');

const opened: WarehouseSettings[] = [];
const platform = createWarehouses({ allow: [] }).get('PostgreSQL')!;
const warehouses = {
  get: () => ({
    ...platform,
    openReader: (settings: WarehouseSettings) => {
      opened.push(settings);
      return Promise.reject(new Error('not opened'));
    },
  }),
};

const openedAt = async (url: string, embedded: string | undefined): Promise<unknown> => {
  const found = presentWarehouses(warehouses, embedded).get('PostgreSQL')!;
  const options = { workspace: 'w' as never, epoch: 1, connections: 1 };
  const signal = AbortSignal.timeout(1_000);
  await expect(found.openReader(settingsOfUrl(url), options, signal)).rejects.toThrow('not opened');
  return writeJson(opened.at(-1)!.get('port') ?? null);
};

it.each([
  ['127.0.0.1:5000/penstock', EMBEDDED, '6001'],
  ['127.0.0.1:5000/penstock', undefined, '5000'],
  ['127.0.0.1:5000/penstock?schema=other', EMBEDDED, '5000'],
  ['127.0.0.1:5000/other', EMBEDDED, '5000'],
  ['warehouse.example.com:5000/penstock', EMBEDDED, '5000'],
])('the warehouse at %s, beside the one at %s, is at port %s', async (place, embedded, port) => {
  expect(await openedAt(`postgres://penstock_warehouse:y@${place}`, embedded)).toBe(port);
});
