import { ADVISORY_LOCK, type Instant } from '@penstock/contracts';
import type { EventStore, Stream } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import type { Configuration } from '../command-handling/configuration';
import { Scheduler } from './scheduler';

const NOW = '2026-06-01T12:00:00.000Z' as Instant;

/** The states that decide about a pipeline with a schedule of an hour. */
interface States {
  readonly live?: object | null;
  readonly enabled?: boolean;
  readonly organizationEnabled?: boolean;
  readonly mode?: string;
  readonly schedule?: object | null;
}

const stateOf = (
  stream: string,
  { live = null, enabled = true, organizationEnabled = true, mode = 'Normal', ...more }: States,
): object | undefined => {
  const [kind] = stream.split('-');
  switch (kind) {
    case 'runs':
      return {
        ...{ kind: 'runs', id: 'p1', workspace: 'w1', version: 3, live, cursor: null },
        ...{ schedule: { period: '1h', start: 0 }, scheduledAt: '2026-06-01T00:00:00.000Z' },
        ...{ lastSlot: null, lastSkipped: null, last: null, ...more },
      };
    case 'pipeline':
      return {
        ...{ kind: 'pipeline', id: 'p1', workspace: 'w1', version: 2, enabled, deleted: false },
        imports: { incremental: false },
      };
    case 'organization':
      return { kind: 'organization', enabled: organizationEnabled };
    case 'workspace':
      return { kind: 'workspace', organization: 'o1' };
    default:
      return { kind: 'warehouse', mode };
  }
};

/** A replica that looks at the schedules. */
class Replica {
  readonly asked: string[] = [];
  readonly errors: unknown[] = [];
  readonly facts: { readonly type: string; readonly data: Record<string, unknown> }[] = [];
  /** Whether it gets the right to decide. */
  locked = true;
  dues: readonly string[] = [];
  /** Pipelines that cannot be decided about now. */
  failing: readonly string[] = [];
  states: States = {};
  /** Those that it has not looked at. */
  leftOut: readonly string[] = [];

  private readonly db = {
    query: (_: string, [lock]: readonly unknown[]) => {
      this.asked.push(`lock ${String(lock)}`);
      return Promise.resolve([{ locked: this.locked, now: Date.parse(NOW) }]);
    },
    find: (_: unknown, { where }: { where: { id: { value: readonly string[] } } }) => {
      this.asked.push('due');
      this.leftOut = where.id.value;
      const dues = this.dues.filter((id) => !this.leftOut.includes(id)).slice(0, 100);
      return Promise.resolve(dues.map((id) => ({ id, workspace: 'w1' })));
    },
  };
  private readonly scheduler = new Scheduler(
    {
      db: { transaction: (work: (db: unknown) => unknown) => work(this.db) },
    } as unknown as EventStore<EntityManager>,
    {
      execute: async (
        _: unknown,
        decide: (reading: unknown) => Promise<{ streams: [{ facts: Replica['facts'] }] }>,
      ) => {
        const { streams } = await decide({
          read: (names: readonly string[]) =>
            Promise.resolve(
              names.map((name): Stream<object> => {
                if (this.failing.some((id) => name === `runs-${id}`)) throw new Error('away');
                return { state: stateOf(name, this.states), version: 1 };
              }),
            ),
        });
        this.facts.push(...streams[0].facts);
      },
    } as unknown as Configuration,
    (error) => this.errors.push(error),
  );

  look(): Promise<boolean> {
    return this.scheduler.look();
  }
}

const LOCK = `lock ${String(ADVISORY_LOCK.schedule)}`;

let replica: Replica;
beforeEach(() => (replica = new Replica()));

it('decides nothing while another replica does', async () => {
  Object.assign(replica, { locked: false, dues: ['p1'] });
  expect(await replica.look()).toBe(false);
  expect(replica).toMatchObject({ asked: [LOCK], facts: [], errors: [] });
});

it('requests the run of a slot that is due, under the lock', async () => {
  replica.dues = ['p1'];
  expect(await replica.look()).toBe(false);
  expect(replica.asked).toEqual([LOCK, 'due']);
  expect(replica.facts).toMatchObject([
    { type: 'RunRequested', data: { trigger: 'Schedule', slot: NOW, actor: 'scheduler' } },
  ]);
});

it('requests no run of a slot whose schedule was removed meanwhile', async () => {
  Object.assign(replica, { dues: ['p1'], states: { schedule: null } });
  await replica.look();
  expect(replica).toMatchObject({ facts: [], errors: [] });
});

it.each<[string, States]>([
  ['organization', { organizationEnabled: false, enabled: false }],
  ['disabled', { enabled: false, live: {} }],
  ['running', { live: {}, mode: 'Maintenance' }],
  ['mode', { mode: 'Maintenance' }],
])('skips a slot for the reason %s', async (reason, states) => {
  Object.assign(replica, { dues: ['p1'], states });
  await replica.look();
  expect(replica.facts).toEqual([
    { type: 'SlotSkipped', data: { slot: NOW, reason }, state: expect.any(Object) as object },
  ]);
});

it('looks at what it could not decide after all others, and again once these are done', async () => {
  const dues = Array.from({ length: 150 }, (_, at) => `p${String(at)}`);
  Object.assign(replica, { dues, failing: ['p7'] });
  expect(await replica.look()).toBe(true);
  expect(replica.errors).toHaveLength(1);
  replica.dues = ['p7', ...dues.slice(100)];
  expect(await replica.look()).toBe(false);
  expect(replica.leftOut).toEqual(['p7']);
  await replica.look();
  expect(replica.leftOut).toEqual([]);
});
