import type { ResolutionTrigger, WorkspaceId } from '@penstock/contracts';
import fc from 'fast-check';
import { EventLooks } from './event-looks';

// A property takes two seconds where nothing else runs.
jest.setTimeout(30_000);

const HOUR = 3_600;

/** Where a process is lost. */
const PLACES = ['look', 'before asking', 'after asking', 'after it'] as const;
type Place = (typeof PLACES)[number];

interface Workspace {
  readonly id: WorkspaceId;
  delay: number | null;
  isWritable: boolean;
  /** When what is not resolved was written. */
  written: number[];
  version: number;
  /** When it ends; `null`: none is live. */
  resolvedUntil: number | null;
  readonly commands: Set<string>;
}

/** Executors over one store, and the warehouses that they look into, second by second. */
class World {
  now = 0;
  readonly looked: [number, WorkspaceId][] = [];
  readonly asked: [number, WorkspaceId, ResolutionTrigger][] = [];
  /** How late what was resolved has been, in seconds after its delay. */
  readonly late: number[] = [];
  readonly workspaces = new Map<WorkspaceId, Workspace>();
  readonly due = new Map<WorkspaceId, { due: number; held: number }>();
  /** Places of the next accidents. */
  accidents: Place[] = [];
  /** Share of the time in which all are looked into that passes before the first of them is. */
  firstLook = 0;
  executors: { readonly looks: EventLooks; readonly lost: Promise<void> }[];

  constructor(count: number, delay: number | null, executors = 2) {
    for (let n = 0; n < count; n += 1) {
      const id = `workspace${String(n).padStart(7, '0')}` as WorkspaceId;
      const none = { written: [], version: 0, resolvedUntil: null, commands: new Set<string>() };
      this.workspaces.set(id, { id, delay, isWritable: true, ...none });
    }
    this.executors = Array.from({ length: executors }, () => this.executor());
  }

  of(n: number): Workspace {
    return [...this.workspaces.values()][n % this.workspaces.size]!;
  }

  write(n: number): void {
    this.of(n).written.push(this.now);
  }

  note(n: number, executor = n): Promise<void> {
    return this.executors[executor % this.executors.length]!.looks.note([this.of(n).id]);
  }

  /** @param step seconds that pass at once */
  async pass(seconds: number, step = 1): Promise<void> {
    for (const end = this.now + seconds; this.now < end; this.now += step) {
      for (const each of this.workspaces.values())
        if (each.resolvedUntil !== null && each.resolvedUntil <= this.now) {
          each.resolvedUntil = null;
          each.version += 1;
        }
      for (const [at, { looks, lost }] of this.executors.entries()) {
        const looked = looks.lookAll().then(() => false);
        if (await Promise.race([looked, lost.then(() => true)]))
          this.executors[at] = this.executor();
      }
    }
  }

  unresolved(): number {
    return [...this.workspaces.values()].reduce((sum, { written }) => sum + written.length, 0);
  }

  private executor() {
    let lose: () => void = () => undefined;
    const lost = new Promise<void>((resolve) => (lose = resolve));
    const isLostAt = (place: Place): boolean => {
      if (this.accidents[0] !== place) return false;
      this.accidents.shift();
      lose();
      return true;
    };
    const never = new Promise<never>(() => undefined);
    const looks = new EventLooks({
      store: this.store(isLostAt, never),
      replica: {
        resolvedAfterEvents: () =>
          new Set(
            [...this.workspaces.values()].flatMap(({ id, isWritable }) => (isWritable ? [id] : [])),
          ),
        isWritable: (id: WorkspaceId) => this.workspaces.get(id)?.isWritable === true,
        workspaceEver: () => undefined,
        warehouse: (id: string) =>
          ({ resolution: { eventDelay: this.workspaces.get(id as WorkspaceId)?.delay } }) as never,
        resolution: (id: string) => {
          const { version, resolvedUntil } = this.workspaces.get(id as WorkspaceId)!;
          return { version, live: resolvedUntil === null ? null : {}, waiting: null } as never;
        },
      },
      looks: {
        look: (id) => {
          this.looked.push([this.now, id]);
          if (isLostAt('look')) return never;
          const { written } = this.workspaces.get(id)!;
          const [first] = written;
          const waitingMs = first === undefined ? null : (this.now - first) * 1_000;
          return Promise.resolve({ count: written.length, waitingMs });
        },
      },
      triggerResolution: (id, trigger, _, command) => {
        if (isLostAt('before asking')) return never;
        this.start(id, trigger, command);
        return isLostAt('after asking') ? never : Promise.resolve();
      },
      onError: (error) => {
        throw error;
      },
    });
    return { looks, lost };
  }

  /** Once for each command; one that is asked for while one is live is for nothing. */
  private start(id: WorkspaceId, trigger: ResolutionTrigger, command: string): void {
    const workspace = this.workspaces.get(id)!;
    if (workspace.commands.has(command)) return;
    workspace.commands.add(command);
    this.asked.push([this.now, id, trigger]);
    this.late.push(...workspace.written.map((at) => this.now - at - (workspace.delay ?? 0)));
    workspace.written = [];
    workspace.version += 1;
    workspace.resolvedUntil = this.now + 3;
  }

  private store(isLostAt: (place: Place) => boolean, never: Promise<never>) {
    const placeOf = (id: WorkspaceId) => {
      const place = this.due.get(id) ?? { due: Infinity, held: -Infinity };
      this.due.set(id, place);
      return place;
    };
    const isDue = ({ due, held }: { due: number; held: number }): boolean =>
      held <= this.now && (due <= this.now || due === Infinity);
    return {
      enrolLooks: (ids: readonly WorkspaceId[], ms: number) => {
        for (const id of ids)
          if (!this.due.has(id)) {
            const share = this.firstLook + (1 - this.firstLook) * Math.random();
            placeOf(id).due = this.now + (share * ms) / 1_000;
          }
        return Promise.resolve();
      },
      lookWithin: (given: readonly { workspace: WorkspaceId; ms: number }[]) => {
        for (const { workspace, ms } of given) {
          const place = placeOf(workspace);
          place.due = Math.min(place.due, this.now + ms / 1_000);
        }
        return Promise.resolve();
      },
      dueLooks: () =>
        Promise.resolve([...this.due].flatMap(([id, place]) => (isDue(place) ? [id] : []))),
      takeLook: (id: WorkspaceId, ms: number) => {
        const place = placeOf(id);
        if (!isDue(place)) return Promise.resolve(false);
        Object.assign(place, { due: Infinity, held: this.now + ms / 1_000 });
        return Promise.resolve(true);
      },
      lookAgain: (id: WorkspaceId, ms: number, notMs: number) => {
        if (isLostAt('after it')) return never;
        const place = placeOf(id);
        place.due = Math.min(place.due, this.now + ms / 1_000);
        place.held = this.now + notMs / 1_000;
        return Promise.resolve();
      },
    };
  }
}

/** Past the looks that come to all in their first hour, and ten minutes before they come to any again. */
const world = async (...of: ConstructorParameters<typeof World>): Promise<World> => {
  const made = new World(...of);
  made.firstLook = 0.3;
  await made.pass(1.1 * HOUR, 60);
  made.looked.length = 0;
  return made;
};

it('looks once when the delay has passed since it was told, and again when it has asked', async () => {
  const told = await world(3, 60);
  const start = told.now;
  told.write(1);
  await told.note(1);
  await told.pass(300);
  const { id } = told.of(1);
  expect(told.asked).toEqual([[start + 65, id, 'Events']]);
  const own = told.looked.filter(([, each]) => each === id).map(([at]) => at - start);
  expect(own).toEqual([65, 125]);
});

it.each([0, 1, 60])('what is written while a notice holds needs none (delay %d)', async (delay) => {
  const told = await world(1, delay);
  told.write(0);
  await told.note(0);
  await told.pass(1);
  // Somebody has started one that has resolved the first.
  told.of(0).written = [];
  await told.pass(3);
  told.write(0);
  await told.pass(delay + 10);
  expect(told.unresolved()).toBe(0);
  expect(Math.max(...told.late)).toBeLessThanOrEqual(6);
});

it('looks no more often than every five seconds, however often it is told', async () => {
  const told = await world(1, 0);
  told.looked.length = 0;
  for (let second = 0; second < 30; second += 1) {
    told.write(0);
    await told.note(0);
    await told.note(0, 1);
    await told.pass(1);
  }
  const times = told.looked.map(([at]) => at);
  times.slice(1).forEach((at, n) => expect(at - times[n]!).toBeGreaterThanOrEqual(5));
  expect(times.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...told.late)).toBeLessThanOrEqual(11);
});

it('does not look where nobody wants it, where nothing may be written, or while one is live', async () => {
  const told = await world(3, 0);
  told.of(0).delay = null;
  told.of(1).isWritable = false;
  told.of(2).resolvedUntil = told.now + 100;
  for (const n of [0, 1, 2]) {
    told.write(n);
    await told.note(n);
  }
  await told.pass(90);
  expect(told.looked).toEqual([]);
  told.of(1).isWritable = true;
  await told.pass(20);
  expect(told.unresolved()).toBe(1);
});

it('looks into each about once an hour where it is told nothing, spread over the hour', async () => {
  const told = new World(300, 60, 1);
  await told.pass(HOUR, 10);
  expect(told.looked.length).toBeGreaterThanOrEqual(270);
  expect(told.looked.length).toBeLessThanOrEqual(330);
  const quarters = [0, 1, 2, 3].map(
    (n) => told.looked.filter(([at]) => Math.floor(at / (HOUR / 4)) === n).length,
  );
  for (const count of quarters) expect(count).toBeGreaterThan(30);
});

it('where one cannot be looked into, it is looked into again, and asking that fails is repeated', async () => {
  const looked: string[] = [];
  let isAway = true;
  const looks = new EventLooks({
    store: {
      enrolLooks: () => Promise.resolve(),
      lookWithin: () => Promise.resolve(),
      dueLooks: () => Promise.resolve(['w' as WorkspaceId]),
      takeLook: () => Promise.resolve(true),
      lookAgain: (_, ms) => {
        looked.push(`again ${String(ms)}`);
        return Promise.resolve();
      },
    },
    replica: {
      resolvedAfterEvents: () => new Set(),
      isWritable: () => true,
      workspaceEver: () => undefined,
      warehouse: () => ({ resolution: { eventDelay: 1 } }) as never,
      resolution: () => undefined,
    },
    looks: { look: () => Promise.resolve(isAway ? undefined : { count: 1, waitingMs: 2_000 }) },
    triggerResolution: (...asked) => {
      looked.push(asked.slice(1).join(' '));
      return Promise.reject(new Error('no answer'));
    },
    onError: (error) => looked.push(String(error)),
  });
  await looks.lookAll();
  isAway = false;
  await looks.lookAll();
  await looks.lookAll();
  const command = 'Events false after version 0 of resolutions of w';
  expect(looked).toEqual([
    ...['again 60000', command, 'Error: no answer'],
    ...[command, 'Error: no answer'],
  ]);
});

/** What a router does: it writes, and tells of it so often, some seconds later; 0: the notice is lost, or the router is. */
const written = fc.record({
  wait: fc.nat({ max: 90 }),
  workspace: fc.nat({ max: 2 }),
  notices: fc.array(fc.record({ late: fc.nat({ max: 8 }), executor: fc.nat({ max: 1 }) }), {
    maxLength: 2,
  }),
});

it('whatever is lost or comes twice, all that was written is resolved, by few looks and few resolutions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { minLength: 1, maxLength: 12 }),
      fc.array(fc.constantFrom(...PLACES), { maxLength: 4 }),
      fc.constantFrom(0, 1, 60, 200),
      async (writes, accidents, delay) => {
        const model = await world(3, delay);
        model.accidents = [...accidents];
        const start = model.now;
        const notices: [number, number, number][] = [];
        for (const { wait, workspace, notices: told } of writes) {
          for (let second = 0; second < wait; second += 1) {
            await model.pass(1);
            for (const [at, n, executor] of notices)
              if (at === model.now) await model.note(n, executor);
          }
          model.write(workspace);
          for (const { late, executor } of told)
            notices.push([model.now + late + 1, workspace, executor]);
        }
        for (let second = 0; second < 10; second += 1) {
          await model.pass(1);
          for (const [at, n, executor] of notices)
            if (at === model.now) await model.note(n, executor);
        }
        await model.pass(1.5 * HOUR, 5);
        expect(model.unresolved()).toBe(0);
        const patience = (accidents.length + 1) * 70;
        expect(Math.max(...model.late)).toBeLessThanOrEqual(1.25 * HOUR + patience);
        if (writes.every(({ notices: told }) => told.length > 0))
          expect(Math.max(...model.late)).toBeLessThanOrEqual(30 + patience);
        const untold = 3 * Math.ceil((model.now - start) / (0.75 * HOUR) + 1);
        const most = untold + 4 * (notices.length + model.asked.length) + 2 * accidents.length;
        expect(model.looked.length).toBeLessThanOrEqual(most);
        expect(model.asked.length).toBeLessThanOrEqual(writes.length);
      },
    ),
    { numRuns: 40 },
  );
});
