import { setTimeout as sleep } from 'node:timers/promises';
import { TOPIC } from '@penstock/contracts';
import { EventStream } from '@penstock/test-servers';
import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { idOf } from './fan-out-event';
import { Load } from './load';
import { formsOf, sized } from './sizes';

jest.setTimeout(300_000);

/** So few that nothing is left out: each takes a record for itself and one for each of its deliveries. */
const EVENTS_PER_SECOND = 15;
const LISTENERS = sized(60, 200);
/** In which routers have certainly read what is watched, also on a busy machine. */
const FOLLOWED_MS = 5_000;

describe.each(formsOf(ON_KAFKA, ON_POSTGRES))('$form', ({ start }) => {
  let installation: RouterInstallation;
  let load: Load;
  let streams: EventStream[];

  beforeAll(async () => {
    installation = await start({ PENSTOCK_LIVE_LISTENERS: String(LISTENERS) });
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
  });

  beforeEach(() => {
    streams = [];
  });

  afterEach(() => {
    for (const stream of streams) stream.close();
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  const watch = async (gateway: number, query = '', after = ''): Promise<EventStream> => {
    const { apiKey, gateways } = installation;
    const url = `${gateways[gateway]?.address ?? ''}/v1/events/live${query}`;
    const headers = after === '' ? {} : { 'Last-Event-ID': after };
    const stream = await EventStream.open(url, apiKey, headers);
    streams.push(stream);
    expect(stream.status).toBe(200);
    await stream.until(({ text }) => text.includes(': heartbeat'));
    return stream;
  };

  const liveEnds = async (): Promise<readonly number[]> => {
    const log = installation.openLog();
    const ends = await log.endOffsets(TOPIC.live);
    await log.close();
    return ends;
  };

  const messageIds = (...of: readonly EventStream[]): string[] =>
    of.flatMap(({ events }) =>
      events.flatMap(({ name, data }) => (name === 'event' ? [String(data['messageId'])] : [])),
    );

  /** Events of a list that it does not have. */
  const missing = (wanted: readonly string[], shown: readonly string[]): string[] => {
    const all = new Set(shown);
    return wanted.filter((id) => !all.has(id));
  };

  const acceptedSince = (first: number): string[] => load.accepted.slice(first).map(idOf);

  it('leaves the topic unmoved while nobody watches', async () => {
    await load.sender.send(60);
    expect(await load.wrong()).toEqual([]);
    expect(await liveEnds()).toEqual([0]);
  });

  it(
    'shows every event and its outcomes, over a kill of its gateway and of a router',
    showingOutput(
      () => installation,
      async () => {
        const first = load.accepted.length;
        const one = await watch(0);
        const other = await watch(1);
        await sleep(FOLLOWED_MS);
        const sent = load.sender.send(200);
        await one.until(() => messageIds(one).length > 50);
        const [gateway] = installation.gateways;
        await gateway?.process.kill9();
        await one.until(({ hasEnded }) => hasEnded);
        await gateway?.process.start();
        const again = await watch(0, '', one.lastId);
        await sent;
        const wanted = acceptedSince(first);
        const gone = await eventually(() => [
          ...missing(wanted, messageIds(one, again)),
          ...missing(wanted, messageIds(other)),
        ]);
        expect(gone).toEqual([]);
        expect(other.events.filter(({ name }) => name === 'dropped')).toEqual([]);
        const twice = messageIds(one, again).length - new Set(messageIds(one, again)).size;
        expect([twice, messageIds(other).length - new Set(messageIds(other)).size]).toEqual([0, 0]);

        const outcomesMissing = (): string[] => {
          const ended = new Set(
            other.events.flatMap(({ name, data }) =>
              name === 'outcome' ? [`${String(data['event'])} ${String(data['pipeline'])}`] : [],
            ),
          );
          return other.events.flatMap(({ name, data }) => {
            if (name !== 'event') return [];
            const pipelines = data['pipelines'] as { pipeline: string; state: string }[];
            return pipelines
              .filter(({ state }) => state === 'Open')
              .map(({ pipeline }) => `${String(data['id'])} ${pipeline}`)
              .filter((each) => !ended.has(each));
          });
        };
        expect(await eventually(outcomesMissing)).toEqual([]);

        const before = load.accepted.length;
        const [victim] = installation.routers;
        const more = load.sender.send(90);
        await until('more is accepted', () => load.accepted.length > before + 30);
        await victim?.kill9();
        await victim?.start();
        await more;
        // What the router had sampled in its last moment, and not appended, is gone with it.
        const lost = (): readonly string[] => missing(acceptedSince(before), messageIds(other));
        const lostMany = (): readonly string[] => (lost().length > EVENTS_PER_SECOND ? lost() : []);
        expect(await eventually(lostMany)).toEqual([]);
        const after = load.accepted.length;
        await load.sender.send(45);
        expect(await eventually(() => missing(acceptedSince(after), messageIds(other)))).toEqual(
          [],
        );
        expect(await load.wrong()).toEqual([]);
      },
    ),
  );

  it(`${String(LISTENERS)} who watch, one of whom does not read, see the same and slow nothing`, async () => {
    const first = load.accepted.length;
    // A few at a time, since each records an access first.
    const all: EventStream[] = [];
    while (all.length < LISTENERS)
      all.push(...(await Promise.all(Array.from({ length: 10 }, (_, index) => watch(index % 2)))));
    await sleep(FOLLOWED_MS);
    all[0]?.pause();
    await load.sender.send(120);
    expect(await load.wrong()).toEqual([]);
    const wanted = acceptedSince(first);
    const lacking = await eventually(() =>
      all.slice(1).flatMap((stream) => missing(wanted, messageIds(stream))),
    );
    expect(lacking).toEqual([]);
  });

  it('samples a flood, says how much was left out, and delivers everything', async () => {
    const flood = await Load.open(installation, { eventsPerSecond: 2_000 });
    try {
      const stream = await watch(1, `?connection=${flood.fanOut.sources[0]?.id ?? ''}`);
      await sleep(FOLLOWED_MS);
      await flood.sender.send(3_000);
      expect(await flood.wrong()).toEqual([]);
      const ofSource = flood.accepted.filter(({ source }) => source === 0).length;
      const told = (): number =>
        stream.events.reduce((sum, { name, data }) => {
          if (name === 'event') return sum + 1;
          return name === 'dropped' ? sum + Number(data['count']) : sum;
        }, 0);
      expect(await eventually(() => (told() >= ofSource ? [] : [told()]))).toEqual([]);
      expect(told()).toBe(ofSource);
      expect(messageIds(stream).length).toBeLessThan(ofSource);
    } finally {
      await flood.close();
    }
  });
});
