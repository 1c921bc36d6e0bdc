import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './harness/api-client';
import { DistributedInstallation } from './harness/distributed-installation';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { type Installation, showingOutput } from './harness/installation';
import { loudLines } from './harness/loud-lines';
import { until } from './harness/until';

jest.setTimeout(300_000);

const DRAIN_SECONDS = 4;
/** A stop on Ctrl-C without a drain, on a loaded machine. */
const QUICK_MS = 15_000;

const readyAt = async (address: string): Promise<number> =>
  (await fetch(`${address}/readyz`, { headers: { connection: 'close' } })).status;

interface Form {
  readonly form: string;
  readonly start: () => Promise<Installation>;
}

const env = { PENSTOCK_DRAIN_SECONDS: String(DRAIN_SECONDS) };

const FORMS: readonly Form[] = [
  { form: 'one process', start: () => EmbeddedInstallation.start(env) },
  { form: 'four processes on Kafka', start: () => DistributedInstallation.start(env) },
];

describe.each(FORMS)('$form', ({ start }) => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await start();
  });

  afterAll(() => installation.destroy());

  it(
    'is not ready from the signal on, and answers until the end of the drain',
    showingOutput(
      () => installation,
      async () => {
        const { address, apiKey } = installation;
        const gateway = installation.services.at(-1)!;
        expect(await readyAt(address)).toBe(200);
        const from = gateway.output.length;
        const ending = gateway.stop();
        await until('it has noticed', () => gateway.output.includes('"msg":"closing"', from));
        expect([await readyAt(address), await readyAt(gateway.opsAddress)]).toEqual([503, 503]);
        const api = new ApiClient(address, apiKey);
        expect(await api.call('GET', '/v1/connections')).toMatchObject({ connections: [] });
        expect(await ending).toBe(0);
        expect(loudLines(gateway, from)).toEqual([]);
        await gateway.start();
      },
    ),
  );

  it(
    'stops every service quietly while it works',
    showingOutput(
      () => installation,
      async () => {
        const api = new ApiClient(installation.address, installation.apiKey);
        const body = { name: 'Shop', role: 'Source', connector: 'nodejs' } as const;
        await api.createConnection(body);
        for (const service of [...installation.services].reverse()) {
          const from = service.output.length;
          expect([service.name, await service.stop()]).toEqual([service.name, 0]);
          expect(loudLines(service, from)).toEqual([]);
        }
      },
    ),
  );
});

describe('one process in a terminal', () => {
  let installation: EmbeddedInstallation;

  beforeAll(async () => {
    installation = await EmbeddedInstallation.start();
  });

  afterAll(() => installation.destroy());

  it(
    'stops quickly on Ctrl-C, also while a browser keeps connections open',
    showingOutput(
      () => installation,
      async () => {
        const { penstock, address } = installation;
        await fetch(`${address}/healthz`);
        await sleep(100);
        const from = penstock.output.length;
        const beginMs = performance.now();
        expect(await penstock.interrupt()).toBe(0);
        expect(performance.now() - beginMs).toBeLessThan(QUICK_MS);
        expect(loudLines(penstock, from)).toEqual([]);
      },
    ),
  );
});
