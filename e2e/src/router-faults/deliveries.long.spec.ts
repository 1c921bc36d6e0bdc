import { showingOutput } from '../harness/installation';
import { eventually } from '../harness/eventually';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import type { Behaviour } from './behaviours';
import { idOf } from './fan-out-event';
import { countedDeliveries, type ListedDelivery, listedDeliveries } from './listed-deliveries';
import { Load } from './load';
import { plannedEnding } from './plan';
import { formsOf, sized } from './sizes';

jest.setTimeout(sized(480_000, 900_000));

const EVENTS = sized(1_600, 20_000);
const EVENTS_PER_SECOND = 400;
/** The user whose events a destination answers 503, while it works for all others. */
const TROUBLED = 1;

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

  const nameOf = ({ pipeline }: ListedDelivery): string =>
    [...load.fanOut.pipelineIds].find(([, id]) => id === pipeline)?.[0] ?? pipeline;

  const written = (listed: readonly ListedDelivery[]): string[] =>
    listed.map((each) => `${nameOf(each)} ${each.messageId} ${each.state} ${each.code}`).sort();

  /** The rejections that the plan demands of the accepted events. */
  const planned = (): string[] => {
    const { plan } = load.fanOut;
    return plan.pipelines
      .flatMap((pipeline) =>
        load.accepted.flatMap((event) => {
          const ending = plannedEnding(plan, pipeline, event) ?? '';
          if (!ending.startsWith('Rejected')) return [];
          const code = ending === 'Rejected 400' ? '400' : '';
          return [`${pipeline.name} ${idOf(event)} Rejected ${code}`];
        }),
      )
      .sort();
  };

  const troubled =
    (usual: Behaviour): Behaviour =>
    (events) =>
      events.some(({ user, number }) => user === TROUBLED && number > 1)
        ? { status: 503 }
        : usual(events);

  it(
    'every delivery that waits or was rejected is listed, also while a router is killed',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut } = load;
        const picky = fanOut.server('picky');
        const usual = picky.behaviour;
        picky.behaviour = troubled(usual);
        const sent = load.sender.send(EVENTS);
        await until('half is accepted', () => load.accepted.length > EVENTS / 2, 120_000);

        const [victim] = installation.routers;
        const killed = victim?.kill9();
        for (let lists = 0; lists < 10; lists += 1) {
          const listed = await listedDeliveries(fanOut, '', 100);
          expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
        }
        await killed;
        await victim?.start();
        await sent;

        const ofPicky = `connection=${fanOut.destinationId('picky')}`;
        const waiting = await eventually(async () => {
          const found = await listedDeliveries(fanOut, `${ofPicky}&state=Waiting`);
          return found.length > 0 ? [] : ['nothing waits'];
        }, 60_000);
        expect(waiting).toEqual([]);
        for (const each of await listedDeliveries(fanOut, 'state=Waiting'))
          expect(each).toMatchObject({
            connection: fanOut.destinationId('picky'),
            messageId: expect.stringMatching(`^[01]/${String(TROUBLED)}/`) as string,
            code: '',
            step: null,
          });

        picky.behaviour = usual;
        expect(await load.wrong()).toEqual([]);
        const all = await listedDeliveries(fanOut, '', 37);
        expect(written(all)).toEqual(planned());
        expect(new Set(written(all).map((line) => line.split(' ').at(-1)))).toEqual(
          new Set(['', '400']),
        );
        const times = all.map(({ receivedAt }) => receivedAt);
        expect(times).toEqual([...times].sort().reverse());
      },
    ),
  );

  it('the numbers are those of the list, by every filter', async () => {
    const { fanOut } = load;
    const numbersOf = (listed: readonly ListedDelivery[]): Record<string, number> => {
      const numbers: Record<string, number> = {};
      for (const { state, code } of listed)
        numbers[`${state} ${code}`] = (numbers[`${state} ${code}`] ?? 0) + 1;
      return numbers;
    };
    const middle = (await listedDeliveries(fanOut))[Math.floor(planned().length / 2)];
    for (const query of [
      '',
      `pipeline=${fanOut.pipelineIds.get('picky-look') ?? ''}`,
      `connection=${fanOut.destinationId('failing')}`,
      'state=Rejected',
      'code=400',
      'state=Parked',
      `from=${middle?.receivedAt ?? ''}`,
      `to=${middle?.receivedAt ?? ''}&code=400`,
    ]) {
      const listed = await listedDeliveries(fanOut, query);
      expect([query, await countedDeliveries(fanOut, query)]).toEqual([query, numbersOf(listed)]);
    }
  });

  it('what is listed survives disable, update, deletion of the pipeline and a restart', async () => {
    const { fanOut } = load;
    const before = written(await listedDeliveries(fanOut));
    const id = (name: string): string => fanOut.pipelineIds.get(name) ?? '';
    await fanOut.change((api) =>
      api.call('PUT', `/v1/pipelines/${id('picky-all')}/status`, { enabled: false }),
    );
    await fanOut.change((api) =>
      api.call('PUT', `/v1/pipelines/${id('picky-look')}`, {
        name: 'Renamed',
        filter: null,
        transformation: { mapping: { properties: 'map("p", "renamed")' } },
        outSchema: {
          kind: 'object',
          properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
        },
      }),
    );
    await fanOut.change((api) => api.call('DELETE', `/v1/pipelines/${id('failing-buy')}`));
    for (const router of installation.routers) {
      await router.stop();
      await router.start();
    }
    expect(written(await listedDeliveries(fanOut))).toEqual(before);
    expect(before.some((line) => line.startsWith('failing-buy'))).toBe(true);
  });
});
