import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, ApiError } from './harness/api-client';
import { FORMS } from './harness/forms';
import { type Installation, showingOutput } from './harness/installation';
import { until } from './harness/until';

jest.setTimeout(300_000);

const CHANGES = 500;
const AT_ONCE = 10;
/** The process that changes the configuration is killed when so many changes have been asked for. */
const KILLS_AT = [100, 250, 400];
/** While nothing answers, few changes are given up. */
const PAUSE_MS = 1_000;

const AUDIT_VERIFY = 'pipeline-service/dist/audit/verify-main.js';

interface Connection {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly linkedConnections: readonly string[];
}

describe.each(FORMS)('$form', ({ form, start }) => {
  let installation: Installation;
  let api: ApiClient;
  const answered = new Set<string>();
  let asked = 0;

  beforeAll(async () => {
    installation = await start();
    api = new ApiClient(installation.address, installation.apiKey);
  });

  afterAll(() => installation.destroy());

  /** One change with three facts: the source, its key, and the link from it. */
  const change = async (destination: string): Promise<void> => {
    const name = `Source ${String((asked += 1))}`;
    try {
      await api.createConnection({
        name,
        role: 'Source',
        connector: 'nodejs',
        settings: {},
        linkedConnections: [destination],
      });
      answered.add(name);
    } catch {
      await sleep(PAUSE_MS);
    }
  };

  const worker = async (destination: string): Promise<void> => {
    while (asked < CHANGES) await change(destination);
  };

  const kill = async (): Promise<void> => {
    const { configuration } = installation;
    for (const count of KILLS_AT) {
      await until(`${String(count)} changes are asked for`, () => asked >= count);
      await configuration.kill9();
      await configuration.start();
    }
  };

  const sources = async (): Promise<Connection[]> => {
    const list = await api.call('GET', '/v1/connections?limit=1000');
    const { connections } = list as { connections: Connection[] };
    return connections.filter(({ role }) => role === 'Source');
  };

  afterEach(() => installation.resumeDatabase());

  it(
    'answers 503 while the database is away, and goes on by itself',
    showingOutput(
      () => installation,
      async () => {
        const rename = async (): Promise<number> => {
          try {
            await api.call('PUT', '/v1/workspaces/current', { name: 'Shop' });
            return 200;
          } catch (error) {
            return error instanceof ApiError ? error.status : 0;
          }
        };
        expect(await rename()).toBe(200);
        await installation.stopDatabase();
        expect(await rename()).toBe(503);
        await installation.resumeDatabase();
        await until('changes are made again', async () => (await rename()) === 200);
      },
    ),
  );

  it(
    'has each change as a whole or not at all, and its audit without a gap, when its writer is killed',
    showingOutput(
      () => installation,
      async () => {
        const destination = await api.createConnection({
          name: 'Receiver',
          role: 'Destination',
          connector: 'http',
          settings: { url: 'http://127.0.0.1:9/' },
        });
        const workers = Array.from({ length: AT_ONCE }, () => worker(destination));
        await Promise.all([...workers, kill()]);

        const found = await sources();
        const names = found.map(({ name }) => name);
        process.stdout.write(
          `${form}: ${JSON.stringify({ asked, answered: answered.size, there: names.length })}\n`,
        );
        expect(answered.size).toBeGreaterThan(CHANGES / 5);
        expect(new Set(names).size).toBe(names.length);
        expect([...answered].filter((name) => !names.includes(name))).toEqual([]);
        for (const { id, linkedConnections } of found) {
          expect(linkedConnections).toEqual([destination]);
          expect(await api.writeKeyOf(id)).toMatch(/^\w{32}$/);
        }
        if (form === 'embedded') await installation.configuration.stop();
        const { exitCode, output } = await installation.configuration.run(AUDIT_VERIFY);
        expect(output).toMatch(/^\d+ facts of \d+ objects: no difference$/m);
        expect(exitCode).toBe(0);
        if (form === 'embedded') await installation.configuration.start();
      },
    ),
  );
});
