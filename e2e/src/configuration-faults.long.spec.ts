import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './harness/api-client';
import { areDelivered, firstDeliveries } from './harness/deliveries';
import { makeFlow } from './harness/flow';
import { DISTRIBUTED, EMBEDDED } from './harness/forms';
import { type Installation, type Outage, showingOutput } from './harness/installation';
import { sendRaw } from './harness/raw-request';
import { Receiver } from './harness/receiver';
import { SteadySender } from './harness/steady-sender';
import { until } from './harness/until';
import { formsOf, sized } from './router-faults/sizes';

jest.setTimeout(300_000);

const CHANGES = sized(90, 500);
const AT_ONCE = 10;
/** Numbers of requested changes at which the process that changes the configuration is killed. */
const KILLS_AT = sized([30, 60], [100, 250, 400]);
/** Pause after a failed change, so that few changes fail during an outage. */
const PAUSE_MS = 1_000;

const AUDIT_VERIFY = 'pipeline-service/dist/audit-verify-main.js';

/** Outages of the database by form. When the log is in the database too, it cannot be stopped alone. */
const OUTAGES: Readonly<Record<string, readonly Outage[]>> = {
  embedded: ['frozen'],
  distributed: ['frozen', 'gone'],
};

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};
const MAPPING = 'map("key", anonymousId, "number", properties.number)';

interface Connection {
  readonly id: string;
  readonly name: string;
  readonly linkedConnections: readonly string[];
}

describe.each(formsOf(DISTRIBUTED, EMBEDDED))('$form', ({ form, start }) => {
  let installation: Installation;
  let api: ApiClient;
  /** Resolves when the process that was killed last is running again. */
  let back: Promise<void> = Promise.resolve();
  const answered = new Set<string>();
  let requested = 0;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    installation = await start();
    api = new ApiClient(installation.address, installation.apiKey);
  });

  afterAll(() => installation.destroy());

  /** Makes one change with three facts (source, write key, link); does not retry it. */
  const change = async (destination: string): Promise<void> => {
    const { address, apiKey } = installation;
    const name = `Source ${String((requested += 1))}`;
    try {
      await new ApiClient(address, apiKey, { isPatient: false }).createConnection({
        name,
        role: 'Source',
        connector: 'nodejs',
        settings: {},
        linkedConnections: [destination],
      });
      answered.add(name);
    } catch {
      await back;
      await sleep(PAUSE_MS);
    }
  };

  const worker = async (destination: string): Promise<void> => {
    while (requested < CHANGES) await change(destination);
  };

  const kill = async (): Promise<void> => {
    const { configuration } = installation;
    for (const count of KILLS_AT) {
      await until(`${String(count)} changes are asked for`, () => requested >= count);
      back = configuration.kill9().then(() => configuration.start());
      await back;
    }
  };

  const sources = async (): Promise<Connection[]> => {
    const list = await api.call('GET', '/v1/connections?limit=1000');
    const { connections } = list as { connections: Connection[] };
    return connections.filter(({ name }) => /^Source \d+$/.test(name));
  };

  afterEach(async () => {
    await installation.resumeDatabase();
    for (const each of opened.splice(0)) await each.close();
  });

  it.each(OUTAGES[form] ?? [])(
    'answers 503 while the database is %s, and recovers by itself',
    (how) =>
      showingOutput(
        () => installation,
        async () => {
          const { address } = installation;
          const receiver = await Receiver.open();
          opened.push(receiver);
          const { url } = receiver;
          const { writeKey } = await makeFlow(installation, {
            url,
            filter: FILTER,
            mapping: MAPPING,
          });
          const sender = new SteadySender({ address, writeKey, keys: 5, eventsPerSecond: 100 });
          opened.push(sender);
          const rename = () =>
            sendRaw(`${address}/v1/workspaces/current`, {
              method: 'PUT',
              headers: {
                Authorization: `Bearer ${installation.apiKey}`,
                'Content-Type': 'application/json',
              },
              body: JSON.stringify({ name: 'Shop' }),
            });
          await until('a change is made', async () => (await rename()).status === 200);
          // Afterwards the gateway's replica has the write key and the end of the configuration.
          await sender.send(25);
          sender.refused.clear();

          await installation.stopDatabase(how);
          const isLogThere = installation.brokers.length > 0;
          const [refused, again] = await Promise.all([
            rename(),
            rename(),
            ...(isLogThere ? [sender.send(100)] : []),
          ]);
          for (const { status, headers } of [refused, again]) {
            expect(status).toBe(503);
            expect(Number(headers['retry-after'])).toBeGreaterThan(0);
          }
          // On a slow machine a read of the log that takes longer than a second is answered 503.
          const { 503: late = 0, ...others } = Object.fromEntries(sender.refused);
          expect(others).toEqual({});
          expect(late).toBeLessThan(20);
          expect(sender.accepted).toHaveLength(isLogThere ? 125 : 25);

          await installation.resumeDatabase();
          await until('changes are made again', async () => (await rename()).status === 200);
          await sender.send(25);
          await until('every event is delivered', () =>
            areDelivered(sender.accepted, receiver.delivered),
          );
          const perKey = sender.accepted.length / 5;
          for (const delivered of firstDeliveries(receiver.delivered).values())
            expect(delivered).toEqual(Array.from({ length: perKey }, (_, number) => number));
        },
      )(),
  );

  it(
    'applies each change completely or not at all, with an audit without gaps, when its writer is killed',
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
          `${form}: ${JSON.stringify({ asked: requested, answered: answered.size, there: names.length })}\n`,
        );
        expect(answered.size).toBeGreaterThan(CHANGES / 5);
        expect(new Set(names).size).toBe(names.length);
        expect([...answered].filter((name) => !names.includes(name))).toEqual([]);
        for (const { id, linkedConnections } of found) {
          expect(linkedConnections).toEqual([destination]);
          expect(await api.writeKeyOf(id)).toMatch(/^\w{32}$/);
        }
        const { exitCode, output } = await installation.configuration.run(AUDIT_VERIFY);
        expect(output).toMatch(/^\d+ facts of \d+ objects: no difference$/m);
        expect(exitCode).toBe(0);
      },
    ),
  );
});
