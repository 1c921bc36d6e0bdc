import { eventually } from '../harness/eventually';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { unconserved } from './conservation';
import { Load } from './load';
import { formsOf } from './sizes';

jest.setTimeout(300_000);

const EVENTS = 400;
const EVENTS_PER_SECOND = 200;
const RUBBISH = 20_000;

interface Refused {
  readonly id: string;
  readonly index: number | null;
  readonly messageId: string | null;
  readonly code: string;
  readonly excerpt: string | null;
  readonly isMasked: boolean;
  readonly count: number;
}

describe.each(formsOf(ON_KAFKA, ON_POSTGRES))('$form', ({ start }) => {
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

  const sourceId = (source: number): string => load.fanOut.sources[source]?.id ?? '';

  const post = async (source: number, body: string, gateway = 0): Promise<number> => {
    const { gateways } = installation;
    const key = load.fanOut.sources[source]?.writeKey ?? '';
    const headers = { Authorization: `Bearer ${key}` };
    const url = `${gateways[gateway]?.address ?? ''}/v1/events`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };

  const list = async (source: number, query = ''): Promise<readonly Refused[]> => {
    const path = `/v1/connections/${sourceId(source)}/refused-events?limit=1000&${query}`;
    const { events } = await load.fanOut.change(
      (api) => api.call('GET', path) as Promise<{ events: readonly Refused[] }>,
    );
    return events;
  };

  const counted = async (source: number): Promise<number> => {
    const path = `/v1/connections/${sourceId(source)}/refused-events/counts`;
    const { counts } = await load.fanOut.change(
      (api) => api.call('GET', path) as Promise<{ counts: readonly { count: number }[] }>,
    );
    return counts.reduce((sum, { count }) => sum + count, 0);
  };

  const soon = (what: string, holds: () => Promise<boolean>): Promise<void> =>
    eventually(async () => ((await holds()) ? [] : [what])).then((missing) => {
      expect(missing).toEqual([]);
    });

  it('are listed by source, through any gateway, also when a gateway and a router are killed', async () => {
    const good = '{"type":"track","event":"Good","anonymousId":"a","messageId":"good"}';
    expect(
      await post(0, `[{"type":"track","messageId":"bad-0","anonymousId":"Ada"},${good}]`),
    ).toBe(200);
    expect(await post(1, '[{"messageId":"bad-1"}]', 1)).toBe(400);
    const changed = good.replace('"Good"', '"Changed"');
    expect(await post(0, changed)).toBe(200);
    await soon('three refused events', async () => (await counted(0)) + (await counted(1)) === 3);
    const codes = (await list(0)).map(({ code, messageId }) => `${code} ${String(messageId)}`);
    expect(codes.sort()).toEqual(['DifferentBody good', 'InvalidEvent bad-0']);
    expect((await list(0, 'code=InvalidEvent'))[0]?.excerpt).toContain('"anonymousId":"Ada"');
    expect(await list(1)).toMatchObject([{ code: 'InvalidEvent', messageId: 'bad-1', index: 0 }]);

    const [gateway] = installation.gateways;
    const [router] = installation.routers;
    await Promise.all([gateway?.process.kill9(), router?.kill9()]);
    await Promise.all([gateway?.process.start(), router?.start()]);
    expect(await post(1, '[{"messageId":"bad-2"}]')).toBe(400);
    await soon('another one', async () => (await counted(1)) === 2);
    expect((await list(0)).length).toBe(2);
  });

  it('a flood of rubbish is counted and kept in bounds, while the others are accepted and delivered', async () => {
    const before = await counted(2);
    const rubbish = `[${Array.from({ length: RUBBISH }, () => '{"type":"rubbish"}').join()}]`;
    const sent = load.sender.send(EVENTS);
    for (let each = 0; each < 4; each += 1) expect(await post(2, rubbish, each % 2)).toBe(400);
    await sent;
    expect(await eventually(() => load.missing())).toEqual([]);
    await soon('all are counted', async () => (await counted(2)) === before + 4 * RUBBISH);
    expect((await list(2)).length).toBeLessThan(300);
    expect([...load.sender.refused.keys()]).toEqual([]);
    const { fanOut } = load;
    const names = fanOut.plan.pipelines.map(({ name }) => name);
    expect(await eventually(() => unconserved(fanOut, names))).toEqual([]);
  });
});
