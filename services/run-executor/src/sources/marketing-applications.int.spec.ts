import type { ImportPipelineState } from '@penstock/contracts';
import { until } from '@penstock/test-servers';
import { applicationImport, Installation } from '../testing/installation.fixture';
import {
  type Vendor,
  VENDORS,
  VendorServer,
  type VendorUser,
} from '../testing/marketing-vendors.fixture';

jest.setTimeout(600_000);

const COUNT = 1_203;
const MINUTE_MS = 60_000;
const BEGIN_MS = Date.UTC(2024, 0, 1);
/** Later than every change before the first run. */
const LATER_MS = BEGIN_MS + 10 * COUNT * MINUTE_MS;

const aVendorUser = (n: number): VendorUser => ({
  id: String(n),
  name: `name ${String(n)}`,
  createdMs: BEGIN_MS + n * MINUTE_MS,
  changedMs: BEGIN_MS + n * MINUTE_MS,
});

const importOf = ({ property }: Vendor): ImportPipelineState =>
  applicationImport({
    transformation: { mapping: { email: property.name }, function: null },
    imports: {
      source: { kind: 'application' },
      inSchema: JSON.stringify({ kind: 'object', properties: [property] }),
      incremental: true,
    },
  });

describe.each(VENDORS.map((vendor): [string, Vendor] => [vendor.connector, vendor]))(
  'users of %s',
  (_, vendor) => {
    let installation: Installation;
    let server: VendorServer;

    beforeEach(async () => {
      installation = await Installation.open();
      server = await VendorServer.start(
        vendor,
        Array.from({ length: COUNT }, (__, n) => aVendorUser(n + 1)),
      );
      await installation.users(server.settings, vendor.connector);
      await installation.start();
    });

    afterEach(async () => {
      await installation.close();
      await server.close();
    });

    const ended = async (cursor: string | null = null) => {
      const run = await installation.request(importOf(vendor), {
        ...{ incremental: cursor !== null, cursor: cursor as never },
      });
      const view = await installation.ended(run);
      await until(() => installation.ends.some((each) => each.run === run));
      return { view, end: installation.ends.find((each) => each.run === run) };
    };

    const change = (user: VendorUser, n: number): void => {
      user.name = `changed ${String(n)}`;
      user.changedMs = LATER_MS + n * MINUTE_MS;
    };

    const names = (): Record<string, string> =>
      Object.fromEntries(server.users.map(({ id, name }) => [id, name]));

    it('become identities, although the vendor fails, and users change and go meanwhile', async () => {
      const there = server.users.slice(20).map(({ id }) => id);
      server.onList = (n) => {
        if (n === 2) {
          server.users.splice(0, 20);
          server.users.slice(0, 5).forEach(change);
        }
        return n === 2 || n === 5 ? 429 : n === 3 ? 500 : undefined;
      };
      const first = await ended();
      expect(first.view).toMatchObject({
        status: 'Succeeded',
        attempt: 1,
        failed: Array(6).fill(0),
      });
      expect(Object.keys(installation.warehouse.values)).toEqual(expect.arrayContaining(there));

      server.onList = (n) => {
        if (n === 1) server.users.slice(5, 8).forEach((user, k) => change(user, 5 + k));
        return undefined;
      };
      server.lists = 0;
      const second = await ended(first.end?.cursor);
      expect(second.view).toMatchObject({ status: 'Succeeded', incremental: true });
      const received = second.view.passed[0] ?? 0;
      expect(received).toBeGreaterThanOrEqual(3);
      expect(received).toBeLessThan(12);
      expect(installation.warehouse.values).toMatchObject(names());

      server.onList = () => undefined;
      const third = await ended();
      expect(third.view).toMatchObject({ status: 'Succeeded', purged: 20 });
      expect(installation.warehouse.values).toEqual(names());
    });
  },
);
