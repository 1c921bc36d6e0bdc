import type { ExportMode, ExportPipelineState, RunView } from '@penstock/contracts';
import { Installation } from './testing/installation.fixture';
import { plainProfiles, StoredProfiles, toApplication } from './testing/profiles.fixture';
import {
  WRITTEN_VENDORS,
  type WrittenVendor,
  WrittenVendorServer,
} from './testing/written-vendors.fixture';

jest.setTimeout(600_000);

/** Profiles, every third of which has a user. */
const COUNT = 12;
const PROFILES = plainProfiles(COUNT).map((each, n) => ({
  ...each,
  ...{ email: `user-${String(n)}@example.com`, first_name: `name ${String(n)}` },
}));
const THERE = PROFILES.filter((_, n) => n % 3 === 0);

describe.each(WRITTEN_VENDORS.map((vendor): [string, WrittenVendor] => [vendor.connector, vendor]))(
  'profiles to %s',
  (_, vendor) => {
    let installation: Installation;
    let profiles: StoredProfiles;
    let server: WrittenVendorServer;
    let pipeline: (mode: ExportMode) => ExportPipelineState;

    beforeEach(async () => {
      installation = await Installation.open();
      profiles = await StoredProfiles.open(installation);
      await profiles.write(PROFILES);
      server = await WrittenVendorServer.start(vendor);
      for (const { email } of THERE) server.create(email, 'as it was');
      server.create('nobody@example.com', 'as it was');
      const connection = await installation.destination(vendor.connector, server.settings);
      const [matching, flags] = vendor.email;
      const status = vendor.connector === 'mailchimp' ? { status: "'subscribed'" } : {};
      const outSchema = JSON.stringify({
        kind: 'object',
        properties: [
          { name: matching, type: { kind: 'string' }, ...flags },
          { name: vendor.name, type: { kind: 'string' }, nullable: true },
          ...Object.keys(status).map((name) => ({ name, type: STATUS, createRequired: true })),
        ],
      });
      pipeline = (mode) =>
        toApplication(
          {
            ...{ connection, outSchema },
            transformation: { mapping: { [vendor.name]: 'first_name', ...status }, function: null },
          },
          { mode, matching: { in: 'email', out: matching } },
        );
      await installation.start();
    });

    afterEach(async () => {
      profiles.close();
      await installation.close();
      await server.close();
    });

    const performed = async (mode: ExportMode): Promise<RunView> =>
      installation.ended(await installation.request(pipeline(mode), { incremental: null }));

    const names = (): Record<string, string> =>
      Object.fromEntries(server.users.map(({ email, name }) => [email, name]));

    const expectedNames = (isSent: (n: number) => boolean): Record<string, string> =>
      Object.fromEntries([
        ['nobody@example.com', 'as it was'],
        ...THERE.map(({ email }) => [email, 'as it was']),
        ...PROFILES.flatMap(({ email, first_name: name }, n) => (isSent(n) ? [[email, name]] : [])),
      ]) as Record<string, string>;

    it('create and change users, although answers are lost and the vendor fails', async () => {
      server.onWrite = (n) => {
        if (n === 1 || n === 6) return 'lost';
        return n === 2 ? 429 : n === 4 ? 503 : undefined;
      };
      const run = await performed('CreateOrUpdate');
      expect(run).toMatchObject({
        ...{ status: 'Succeeded', error: '', attempt: 1 },
        ...{ passed: Array(6).fill(COUNT), failed: Array(6).fill(0) },
      });
      expect(names()).toEqual(expectedNames(() => true));
      expect(new Set(server.users.map(({ email }) => email)).size).toBe(server.users.length);
      expect(server.writes).toBeGreaterThanOrEqual(COUNT / vendor.maxUsers);
    });

    it('only create users, or only change them', async () => {
      const updated = await performed('UpdateOnly');
      expect(updated).toMatchObject({
        status: 'Succeeded',
        failed: [0, 0, COUNT - THERE.length, 0, 0, 0],
      });
      expect(names()).toEqual(expectedNames((n) => n % 3 === 0));
      const created = await performed('CreateOnly');
      expect(created).toMatchObject({ status: 'Succeeded', failed: [0, 0, THERE.length, 0, 0, 0] });
      expect(names()).toEqual(expectedNames(() => true));
    });
  },
);

const STATUS = {
  kind: 'string',
  values: ['subscribed', 'unsubscribed', 'cleaned', 'pending', 'transactional'],
};
