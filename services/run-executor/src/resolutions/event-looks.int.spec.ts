import { ResolutionInstallation } from '../testing/resolution-installation.fixture';
import { until } from '@penstock/test-servers';

jest.setTimeout(600_000);

let installation: ResolutionInstallation;

beforeEach(async () => {
  installation = await ResolutionInstallation.open();
});
afterEach(() => installation.close());

it('where routers tell of identities, a resolution is asked for, under one command however often it is told', async () => {
  const [one, other, quiet] = [
    await installation.workspace(),
    await installation.workspace(),
    await installation.workspace(),
  ];
  for (const workspace of [one, other, quiet]) {
    await installation.warehouse(workspace, { eventDelay: 0 });
    await installation.write(workspace, 'a', [{ recordId: 'r', email: 'ann@example.com' }]);
  }
  await Promise.all([installation.start(), installation.start()]);
  await Promise.all([
    installation.note([one, other]),
    installation.note([other, one]),
    installation.note([one]),
  ]);
  await until(() => new Set(installation.triggers.map(({ workspace }) => workspace)).size === 2);
  await installation.note([other, one]);
  await until(() => installation.triggers.length >= 4);
  const asked = installation.triggers.map(({ workspace, trigger, command }) =>
    [workspace, trigger, command].join(' '),
  );
  expect([...new Set(asked)].sort()).toEqual(
    [one, other].map((id) => `${id} Events after version 0 of resolutions of ${id}`).sort(),
  );
});
