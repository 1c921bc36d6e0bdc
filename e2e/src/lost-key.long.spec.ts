import { DistributedInstallation } from './harness/distributed-installation';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { until } from './harness/until';

jest.setTimeout(300_000);

const PROGRAM = 'standalone/dist/recover-key-main.js';

/** @returns the key that the program has printed. */
const keyIn = (output: string): string => {
  const [, key] = /^API key, shown this once: (pk_\w{40})$/m.exec(output) ?? [];
  if (key === undefined) throw new Error(`no key: ${output}`);
  return key;
};

const statusWith = async (address: string, key: string): Promise<number> => {
  const answer = await fetch(`${address}/v1/keys`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
};

interface Audited {
  readonly facts: { readonly type: string; readonly actor: string }[];
}

/** Waits until the key opens what only an admin may read, and returns the newest fact about keys. */
const newestKeyFact = async (address: string, key: string): Promise<unknown> => {
  await until('the key works', async () => (await statusWith(address, key)) === 200);
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${address}/v1/audit?type=ApiKeyCreated&limit=1`, { headers });
  return ((await answer.json()) as Audited).facts[0];
};

const RECOVERED = { type: 'ApiKeyCreated', actor: 'recovered on the machine' };

describe('the embedded installation', () => {
  let installation: EmbeddedInstallation;
  afterEach(() => installation.destroy());

  it('gets a new admin key while it is stopped, and another beside it when it runs', async () => {
    installation = await EmbeddedInstallation.start();
    const { penstock, address } = installation;
    expect(await penstock.stop()).toBe(0);

    const stopped = await penstock.run(PROGRAM);
    expect(stopped.exitCode).toBe(0);
    expect(installation.databasePid).toBeUndefined();
    await penstock.start();
    expect(await newestKeyFact(address, keyIn(stopped.output))).toMatchObject(RECOVERED);

    const beside = await penstock.run(PROGRAM);
    expect(beside.exitCode).toBe(0);
    expect(keyIn(beside.output)).not.toBe(keyIn(stopped.output));
    expect(await newestKeyFact(address, keyIn(beside.output))).toMatchObject(RECOVERED);
    const verified = await penstock.run('pipeline-service/dist/audit-verify-main.js');
    expect(verified.output).toContain('no difference');
    expect(penstock.output).not.toContain(keyIn(beside.output));
  });

  it('is not created by the recovery, which says what is missing', async () => {
    installation = await EmbeddedInstallation.create();
    const { exitCode, output } = await installation.penstock.run(PROGRAM);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^keys:recover: \S+ has no secret, [^\n]*set PENSTOCK_DATA [^\n]*\n$/);
    expect(installation.databasePid).toBeUndefined();
  });
});

describe('an installation of several processes on Kafka', () => {
  let installation: DistributedInstallation;
  beforeAll(async () => {
    installation = await DistributedInstallation.start();
  });
  afterAll(() => installation.destroy());

  it('gets a new admin key beside it', async () => {
    const { exitCode, output } = await installation.configuration.run(PROGRAM);
    expect(exitCode).toBe(0);
    expect(await newestKeyFact(installation.address, keyIn(output))).toMatchObject(RECOVERED);
  });

  it('gets none with another secret, which no key would be found with', async () => {
    const wrong = { PENSTOCK_SECRET: 'another secret of 32 characters or more' };
    const { exitCode, output } = await installation.configuration.run(PROGRAM, wrong);
    expect([exitCode, output]).toEqual([
      1,
      'keys:recover: PENSTOCK_SECRET is not that of the installation: set the one of its first start; if none was set then, it is in the file secret of the data folder\n',
    ]);
  });
});
