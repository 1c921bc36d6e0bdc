import { orderKey, readAcceptedEvent, TOPIC } from '@penstock/contracts';
import { ApiClient, ApiError } from '../harness/api-client';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { answering, type Behaviour } from './behaviours';
import { bodyOf, type FanOutEvent, idOf } from './fan-out-event';
import { Load } from './load';
import { plannedEnding } from './plan';
import { formsOf, sized } from './sizes';

jest.setTimeout(sized(480_000, 900_000));

const EVENTS = sized(1_500, 10_000);
const EVENTS_PER_SECOND = 300;
/** Accepted events that are traced. */
const TRACED = 60;
/** The user whose events a destination answers 503, while it works for all others. */
const TROUBLED = 1;

interface Attempt {
  readonly attempt: number;
  readonly isSuccessful: boolean;
  readonly status: number | null;
  readonly reason: string;
}

interface Traced {
  readonly pipeline: string;
  readonly state: string;
  readonly step: string | null;
  readonly code: string;
  readonly reason: string;
  readonly attempts: readonly Attempt[];
  readonly transformation: { readonly failed: string | null; readonly output: unknown } | null;
}

interface Trace {
  readonly event: Readonly<Record<string, unknown>>;
  readonly duplicates: readonly { readonly isDifferent: boolean }[];
  readonly pipelines: readonly Traced[];
  readonly unknown: readonly string[];
  readonly isMasked: boolean;
}

describe.each(formsOf(ON_POSTGRES, ON_KAFKA))('$form', ({ start }) => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await start();
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  const trace = (messageId: string, query = '', apiKey = installation.apiKey): Promise<Trace> => {
    const path = `/v1/events/${encodeURIComponent(messageId)}/trace?${query}`;
    return new ApiClient(installation.address, apiKey).call('GET', path) as Promise<Trace>;
  };

  /** Undefined: no router has read the event yet. */
  const traceIfRead = (messageId: string): Promise<Trace | undefined> =>
    trace(messageId).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });

  const traceOf = (event: FanOutEvent): Promise<Trace> => {
    const { id = '' } = load.fanOut.sources[event.source] ?? {};
    return trace(idOf(event), `connection=${id}`);
  };

  const idOfPipeline = (name: string): string => load.fanOut.pipelineIds.get(name) ?? '';

  const of = ({ pipelines }: Trace, name: string): Traced | undefined =>
    pipelines.find(({ pipeline }) => pipeline === idOfPipeline(name));

  /** How each pipeline of a trace ended, in the words of the plan. */
  const endings = ({ pipelines }: Trace): Record<string, string> =>
    Object.fromEntries(
      pipelines.map(({ pipeline, state, code, step }) => [
        pipeline,
        state === 'Rejected' && step === 'Transformation'
          ? 'Rejected by the function'
          : `${state} ${code}`.trim(),
      ]),
    );

  const planned = (event: FanOutEvent): Record<string, string> => {
    const { plan } = load.fanOut;
    return Object.fromEntries(
      plan.pipelines.flatMap((pipeline) => {
        const ending = plannedEnding(plan, pipeline, event);
        return ending === undefined ? [] : [[idOfPipeline(pipeline.name), ending]];
      }),
    );
  };

  const troubled =
    (usual: Behaviour): Behaviour =>
    (events) =>
      events.some(({ user, number }) => user === TROUBLED && number > 1)
        ? { status: 503, text: 'this one must wait' }
        : usual(events);

  /** Sends one event to a source of the fan-out. */
  const send = async (body: object, source = 0): Promise<void> => {
    const { writeKey = '' } = load.fanOut.sources[source] ?? {};
    const sender = new ApiClient(installation.address, writeKey);
    expect(await sender.call('POST', '/v1/events', body)).toEqual({ accepted: 1 });
  };

  it(
    'every event is traced to the endings of the plan, also when a router was killed',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut } = load;
        const [picky, failing] = ['picky', 'failing'].map((name) => fanOut.server(name));
        const usual = picky!.behaviour;
        picky!.behaviour = troubled(usual);
        failing!.behaviour = answering(503);
        const sent = load.sender.send(EVENTS);
        await until('half is accepted', () => load.accepted.length > EVENTS / 2, 120_000);
        const [victim] = installation.routers;
        await victim?.kill9();
        await victim?.start();
        await sent;

        const waiting = load.accepted.find(
          ({ source, user, number }) => source < 2 && user === TROUBLED && number > 1,
        )!;
        await until(
          'an event of the troubled user waits in the store',
          async () => of(await traceOf(waiting), 'picky-all')?.state === 'Waiting',
          60_000,
        );
        picky!.behaviour = usual;
        failing!.behaviour = fanOut.plan.destinations[2]!.usual;
        expect(await load.wrong()).toEqual([]);

        const step = Math.max(1, Math.floor(load.accepted.length / TRACED));
        for (const event of load.accepted.filter((_, index) => index % step === 0)) {
          const traced = await traceOf(event);
          expect([idOf(event), endings(traced)]).toEqual([idOf(event), planned(event)]);
          expect(traced.unknown).toEqual([]);
        }
        const { attempts = [] } = of(await traceOf(waiting), 'picky-all') ?? {};
        expect(attempts[0]).toMatchObject({ attempt: 1, isSuccessful: false, status: 503 });
        expect(attempts[0]?.reason).toContain('this one must wait');
      },
    ),
  );

  const stateOf = async (messageId: string, name: string): Promise<string | undefined> => {
    const found = await traceIfRead(messageId);
    return found && of(found, name)?.state;
  };

  it('a duplicate, an event that opts out, and one of a user who is suppressed later', async () => {
    const { fanOut } = load;
    const event = { ...bodyOf({ source: 0, user: 900, number: 1 }), messageId: 'a duplicate' };
    await send(event);
    await send(event);
    await send({ ...event, properties: { s: 0, u: 900, n: 2 } });
    await until(
      'the duplicates are routed',
      async () => (await traceIfRead('a duplicate'))?.duplicates.length === 2,
    );
    expect((await trace('a duplicate')).duplicates).toMatchObject([
      { isDifferent: false },
      { isDifferent: true },
    ]);

    await send({ ...event, messageId: 'opts out', integrations: { All: false } });
    await until('it is routed', async () => (await traceIfRead('opts out')) !== undefined);
    expect(of(await trace('opts out'), 'healthy-all')).toMatchObject({
      state: 'Filtered',
      step: 'Filter',
      code: 'OptedOut',
    });

    fanOut.server('limited').behaviour = answering(503);
    await send({ ...event, messageId: 'suppressed', userId: 'Ada' });
    await until(
      'it is delivered to one destination',
      async () => (await stateOf('suppressed', 'healthy-all')) === 'Delivered',
    );
    await fanOut.change((api) => api.call('POST', '/v1/users/suppress', { userId: 'Ada' }));
    await until(
      'it is filtered for another',
      async () => (await stateOf('suppressed', 'limited-all')) === 'Filtered',
    );
    const found = await trace('suppressed');
    expect(found).toMatchObject({ isMasked: true, event: { isSuppressed: true } });
    expect(of(found, 'limited-all')).toMatchObject({ step: 'Filter', code: 'Suppressed' });
    expect(of(found, 'healthy-all')?.state).toBe('Delivered');
    expect(JSON.stringify(found.event)).not.toMatch(/Ada|user-900/);
  });

  it('a parked event is told, and one that cannot be read', async () => {
    const { fanOut } = load;
    fanOut.server('limited').behaviour = answering(503);
    await send({ ...bodyOf({ source: 0, user: 901, number: 1 }), messageId: 'parked' });
    await until('it was tried', async () => {
      const found = await traceIfRead('parked');
      return found !== undefined && (of(found, 'limited-all')?.attempts.length ?? 0) > 0;
    });
    await fanOut.change((api) =>
      api.call('DELETE', `/v1/pipelines/${idOfPipeline('limited-all')}`),
    );
    await until('it is parked', async () => (await stateOf('parked', 'limited-all')) === 'Parked');
    const parked = of(await trace('parked'), 'limited-all');
    expect(parked).toMatchObject({ code: 'Deleted', step: 'Finalize' });
    expect(parked?.attempts[0]).toMatchObject({ attempt: 1, status: 503 });
    expect(of(await trace('parked'), 'healthy-all')?.state).toBe('Delivered');

    const log = installation.openLog();
    try {
      const { id = '' } = fanOut.sources[0] ?? {};
      const value = await recordOf(log, 'parked');
      const [head = ''] = value.split('\n');
      const key = orderKey(id, 'user-901');
      const unreadable = `${head.replace('"parked"', '"unreadable"')}\n{"no":1}`;
      await log.append(TOPIC.events, [{ key, value: unreadable }]);
      await until(
        'it is reported',
        async () => (await traceIfRead('unreadable'))?.event['form'] === 'Unreadable',
      );
      expect(await trace('unreadable')).toMatchObject({
        event: { reason: 'its event does not fit the schema', event: null },
        pipelines: [],
      });
    } finally {
      await log.close();
    }
  });

  const recordOf = async (
    log: ReturnType<RouterInstallation['openLog']>,
    messageId: string,
  ): Promise<string> => {
    let found = '';
    const reader = await log.follow({
      topic: TOPIC.events,
      onBatch: (_, records) => {
        for (const { value } of records)
          if (value !== null && readAcceptedEvent(value).messageId === messageId) found = value;
        return Promise.resolve();
      },
    });
    await reader.caughtUp();
    await reader.stop();
    return found;
  };

  it('values are masked for scope read, and each other access is recorded', async () => {
    const api = new ApiClient(installation.address, installation.apiKey);
    const { key } = (await api.call('POST', '/v1/keys', { name: 'Reader', scope: 'read' })) as {
      key: string;
    };
    const masked = await trace('parked', '', key);
    expect(masked.isMasked).toBe(true);
    expect(JSON.stringify(masked.event['event'])).not.toMatch(/user-901|Buy|Look|Scroll/);
    expect(of(masked, 'limited-all')?.attempts[0]?.reason).toBe('answered 503');
    const before = await accesses(api);
    await trace('parked', '', key);
    expect(await accesses(api)).toEqual(before);
    const { event } = await trace('parked');
    expect((await accesses(api))[0]).toMatchObject({ delivery: event['place'] });
  });

  const accesses = async (api: ApiClient): Promise<readonly object[]> =>
    ((await api.call('GET', '/v1/access-log?limit=1000')) as { accesses: object[] }).accesses;
});
