import { createHmac } from 'node:crypto';
import {
  type ConfigurationState,
  type ConnectionState,
  readAcceptedEvent,
  type StateRecord,
  suppressionId,
  TOPIC,
} from '@penstock/contracts';
import fc from 'fast-check';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send, type Sent } from '../testing/http.fixture';
import {
  organization,
  seals,
  secrets,
  source,
  WORKSPACE,
  workspace,
} from '../testing/installation.fixture';
import { MemoryLog } from '../testing/memory-log.fixture';

const PAGE = '{"type":"page","userId":"u","messageId":"m"}';

/** Two gateways: changes are published through the first, events are sent to the second, which may lag behind. */
class TwoGateways {
  readonly log = new MemoryLog();
  readonly near = new GatewayStand(this.log);
  readonly far = new GatewayStand(this.log);

  static async start(...states: ConfigurationState[]): Promise<TwoGateways> {
    const both = new TwoGateways();
    await both.near.configure(organization(), workspace(), ...states);
    await both.far.start(both.options);
    return both;
  }

  /** From now on, the second gateway receives changes only when it reads to the end of the topic. */
  slow(): this {
    this.log.isSlow = true;
    return this;
  }

  configure(...states: ConfigurationState[]): Promise<void> {
    return this.near.configure(...states);
  }

  post(key: string, sent: Sent = {}, path = '/v1/events'): Promise<Answered> {
    return send(this.far.url(path), {
      headers: { Authorization: `Bearer ${key}` },
      body: PAGE,
      ...sent,
    });
  }

  get events() {
    return this.log.recordsOf(TOPIC.events).map(({ value }) => readAcceptedEvent(value ?? ''));
  }

  stop(): Promise<void> {
    return this.far.stop();
  }

  private readonly options = { eventRate: { perSecond: 0.001, burst: 3 } };
}

let gateways: TwoGateways;
const started: TwoGateways[] = [];
const start = async (...states: ConfigurationState[]): Promise<TwoGateways> => {
  gateways = await TwoGateways.start(...states);
  started.push(gateways);
  return gateways;
};
afterEach(() => Promise.all(started.splice(0).map((each) => each.stop())));

const renamed = (state: ConnectionState, version: number): ConnectionState => ({
  ...state,
  name: `Renamed ${String(version)}`,
  version,
});

const suppression = (userId: string, suppressed: boolean): ConfigurationState => ({
  kind: 'suppression',
  id: suppressionId((text) => secrets.keyedHash(text), WORKSPACE, userId),
  workspace: WORKSPACE,
  version: 1,
  suppressed,
});

describe('an event that is sent after the answer to a change', () => {
  it('carries the position of the change', async () => {
    const { state, key } = source('nodejs');
    const { near } = (await start(state)).slow();
    await gateways.configure(renamed(state, 2));
    expect(await gateways.post(key)).toMatchObject({ status: 200, text: '{"accepted":1}' });
    expect(gateways.events).toMatchObject([{ messageId: 'm', seen: near.published }]);
  });

  it('is refused under a write key that was deleted', async () => {
    const { state, key } = source('nodejs');
    (await start(state)).slow();
    await gateways.configure({ ...state, version: 2, writeKeys: [] });
    for (const sent of [{}, { body: '[]' }, { body: '[5]' }])
      expect(await gateways.post(key, sent)).toMatchObject({ status: 401 });
    const inBody = { headers: {}, body: `{"writeKey":"${key}","batch":[${PAGE}]}` };
    expect(await gateways.post(key, inBody)).toMatchObject({ status: 401 });
    expect(gateways.events).toEqual([]);
  });

  it('is refused while the organization is disabled, and accepted once it is enabled', async () => {
    const { state, key } = source('nodejs');
    (await start(state)).slow();
    await gateways.configure(organization({ enabled: false }));
    const refused = await gateways.post(key);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': /\d/ as never } });
    expect(jsonOf(refused)).toMatchObject({ message: 'organization is disabled' });
    await gateways.configure(organization());
    expect(await gateways.post(key)).toMatchObject({ status: 200 });
  });

  it('is dropped while its user is suppressed, and no longer', async () => {
    const { state, key } = source('nodejs');
    (await start(state)).slow();
    await gateways.configure(suppression('u', true));
    expect(await gateways.post(key)).toMatchObject({ text: '{"accepted":1}' });
    expect(gateways.events).toEqual([]);
    await gateways.configure(suppression('u', false));
    expect(await gateways.post(key)).toMatchObject({ text: '{"accepted":1}' });
    expect(gateways.events).toHaveLength(1);
  });

  it('is normalised with the new settings of its source', async () => {
    const { state, key } = source('javascript', '{"ip":"keep"}');
    (await start(state)).slow();
    await gateways.configure({
      ...state,
      version: 2,
      settings: seals.seal('{"ip":"drop"}', WORKSPACE),
    });
    const body = '{"type":"page","userId":"u","context":{"ip":"192.0.2.1"}}';
    expect(await gateways.post(key, { body })).toMatchObject({ status: 200 });
    expect(gateways.events[0]?.eventText).not.toContain('192.0.2.1');
  });

  it.each([
    ['refuses', 'before', 401],
    ['takes', 'now', 200],
  ])('%s a signature with the secret "%s"', async (_, signedWith, status) => {
    const settingsOf = (secret: string) => `{"signature":{"header":"X-S","secret":"${secret}"}}`;
    const { state, key } = source('webhook', settingsOf('before'));
    (await start(state)).slow();
    const settings = seals.seal(settingsOf('now'), WORKSPACE);
    await gateways.configure({ ...state, version: 2, settings });
    const headers = { 'X-S': createHmac('sha256', signedWith).update(PAGE).digest('hex') };
    expect(await gateways.post(key, { headers }, `/v1/webhooks/${key}`)).toMatchObject({ status });
    expect(gateways.events).toHaveLength(status === 200 ? 1 : 0);
  });

  it('is accepted from a source that was just created', async () => {
    const { state, key } = source('nodejs');
    (await start()).slow();
    await gateways.configure(state);
    expect(await gateways.post(key)).toMatchObject({ status: 200 });
  });
});

it('sends settings to browser SDKs only under keys that still exist', async () => {
  const { state, key } = source('javascript');
  (await start(state)).slow();
  await gateways.configure({ ...state, version: 2, writeKeys: [] });
  const get = { method: 'GET' };
  const path = `/v1/projects/${key}/settings`;
  expect(await send(gateways.far.url(path), get)).toMatchObject({ status: 401 });
});

describe('a gateway whose reader of the configuration hangs', () => {
  it('accepts events while nothing changes', async () => {
    const { state, key } = source('nodejs');
    await start(state);
    gateways.log.hangReaders();
    expect(await gateways.post(key)).toMatchObject({ status: 200 });
  });

  it('accepts nothing by an outdated replica, and resumes once it can read', async () => {
    const { state, key } = source('nodejs');
    await start(state);
    const goOn = gateways.log.hangReaders();
    await gateways.configure(renamed(state, 2));
    const refused = await Promise.all(Array.from({ length: 2 }, () => gateways.post(key)));
    for (const { status, headers } of refused) {
      expect(status).toBe(503);
      expect(headers).toHaveProperty('retry-after');
    }
    expect(gateways.events).toEqual([]);
    await goOn();
    expect(await gateways.post(key)).toMatchObject({ status: 200 });
    expect(gateways.events).toMatchObject([{ seen: gateways.near.published }]);
  });

  it.each([
    ['a deleted key', (state: ConnectionState) => ({ ...state, version: 2, writeKeys: [] })],
    ['a disabled organization', () => organization({ enabled: false })],
  ])('refuses %s with 503, and correctly once it can read', async (title, changed) => {
    const { state, key } = source('nodejs');
    await start(state);
    const goOn = gateways.log.hangReaders();
    await gateways.configure(changed(state));
    expect(await gateways.post(key)).toMatchObject({ status: 503 });
    await goOn();
    const status = title === 'a deleted key' ? 401 : 503;
    expect(await gateways.post(key)).toMatchObject({ status });
    expect(gateways.events).toEqual([]);
  });

  it('does not answer a new key with 401', async () => {
    const { state, key } = source('nodejs');
    await start();
    gateways.log.hangReaders();
    await gateways.configure(state);
    expect(await gateways.post(key)).toMatchObject({ status: 503 });
  });
});

describe('a change during a request', () => {
  /** Publishes one of the states before each attempt to append. */
  const changing = (states: ConfigurationState[]): void => {
    gateways.log.beforeAppend = async () => {
      const next = states.shift();
      if (next !== undefined) await gateways.configure(next);
    };
  };

  it('restamps the same event, and appends it once', async () => {
    const { state, key } = source('nodejs');
    await start(state);
    changing([workspace(), workspace()]);
    expect(await gateways.post(key)).toMatchObject({ status: 200, text: '{"accepted":1}' });
    expect(gateways.log.appends).toBe(3);
    expect(gateways.events).toMatchObject([{ messageId: 'm', seen: gateways.near.published }]);
  });

  it('reports warnings and rejections once', async () => {
    const { state, key } = source('nodejs');
    await start(state);
    changing([renamed(state, 2), workspace(), renamed(state, 3)]);
    const body = `[${PAGE},5,{"type":"page","userId":"u","context":{"ip":1}}]`;
    expect(jsonOf(await gateways.post(key, { body }))).toMatchObject({
      accepted: 2,
      rejected: [{ index: 1 }],
      warnings: [{ index: 2, path: '/context/ip' }],
    });
    expect(gateways.events).toHaveLength(2);
    expect(new Set(gateways.events.map(({ seen }) => seen))).toEqual(
      new Set([gateways.near.published]),
    );
  });

  it('counts its events once against the rate', async () => {
    const { state, key } = source('nodejs');
    await start(state);
    changing([renamed(state, 2), renamed(state, 3), renamed(state, 4)]);
    for (const status of [200, 200, 200, 429])
      expect(await gateways.post(key)).toMatchObject({ status });
  });

  it('refuses a key that was valid when the request arrived', async () => {
    const { state, key } = source('nodejs');
    await start(state);
    changing([workspace(), { ...state, version: 2, deleted: true }]);
    expect(await gateways.post(key)).toMatchObject({ status: 401 });
    expect(gateways.events).toEqual([]);
  });

  it('is retried up to the limit, then the request is refused', async () => {
    const { state, key } = source('nodejs');
    await start(state);
    changing(Array.from({ length: 7 }, () => workspace()));
    expect(await gateways.post(key)).toMatchObject({ status: 200 });
    changing(Array.from({ length: 8 }, () => workspace()));
    const refused = await gateways.post(key);
    expect(refused.status).toBe(503);
    expect(refused.headers).toHaveProperty('retry-after');
    expect(gateways.events).toHaveLength(1);
  });
});

it('stamps every event with the position of the newest change before it on the log', async () => {
  const step = fc.constantFrom('source', 'other', 'event', 'batch', 'hang', 'go on');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { state, key } = source('nodejs');
      const both = (await TwoGateways.start(state)).slow();
      try {
        await play(both, steps, state, key);
        expect(stampsOf(both)).toEqual(positionsOf(both));
      } finally {
        await both.stop();
      }
    }),
    { numRuns: 40, endOnFailure: true },
  );
}, 60_000);

/** Sends requests and changes that overlap. */
const play = async (
  both: TwoGateways,
  steps: readonly string[],
  state: ConnectionState,
  key: string,
): Promise<void> => {
  let version = state.version;
  let goOn: () => Promise<void> = () => Promise.resolve();
  const answers: Promise<Answered>[] = [];
  for (const step of steps) {
    if (step === 'other') await both.configure(workspace());
    else if (step === 'source') await both.configure(renamed(state, (version += 1)));
    else if (step === 'event') answers.push(both.post(key));
    else if (step === 'batch') answers.push(both.post(key, { body: `[${PAGE},${PAGE}]` }));
    else if (step === 'hang') {
      await goOn();
      goOn = both.log.hangReaders();
    } else await goOn();
    await new Promise(setImmediate);
  }
  await goOn();
  await Promise.all(answers);
};

const stampsOf = ({ events }: TwoGateways): number[] => events.map(({ seen }) => seen);

/** Computes the expected stamp of each event from the order of the log. */
const positionsOf = ({ log }: TwoGateways): number[] => {
  const states = log.recordsOf(TOPIC.configurationState).values();
  let position = 0;
  const positions: number[] = [];
  for (const topic of log.order) {
    if (topic === TOPIC.events) positions.push(position);
    if (topic !== TOPIC.configurationState) continue;
    const record = JSON.parse(states.next().value?.value ?? '') as Partial<StateRecord>;
    position = record.position ?? position;
  }
  return positions;
};
