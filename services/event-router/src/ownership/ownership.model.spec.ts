import fc from 'fast-check';
import { FakeClock } from '../testing/fake-clock';
import type { Fault } from './faults.fixture';
import { LeaseTable } from './lease-table.fixture';
import { ModelMember } from './model-member.fixture';

const LEASE_MS = 10_000;
const MOST_MEMBERS = 4;
const LONGEST_DELAY_MS = 12_000;
const RUNS = Number(process.env['OWNERSHIP_RUNS'] ?? 300);
/** After this time, shrinking a counterexample ends too, so that it is shown. */
const LIMIT_MS = Number(process.env['OWNERSHIP_LIMIT_MS'] ?? 90_000);

interface Step {
  readonly waitMs: number;
  readonly act: 'start' | 'stop' | 'kill' | 'freeze' | 'thaw' | 'lose';
  readonly who: number;
  readonly flag: boolean;
}

interface Scenario {
  readonly partitions: number;
  readonly offsetsMs: readonly number[];
  readonly faults: readonly (readonly Fault[])[];
  readonly steps: readonly Step[];
}

const delay = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 4_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: LONGEST_DELAY_MS }) },
);

const fault: fc.Arbitrary<Fault> = fc.record({
  beforeMs: delay,
  afterMs: delay,
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.constant('undone' as const) },
    { weight: 2, arbitrary: fc.constant('unheard' as const) },
    { weight: 1, arbitrary: fc.constant('hangs' as const) },
  ),
});

const step: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.oneof(
    fc.integer({ min: 0, max: 30 }),
    fc.integer({ min: 0, max: 3_000 }),
    fc.integer({ min: 0, max: 20_000 }),
  ),
  act: fc.constantFrom('start', 'start', 'start', 'stop', 'kill', 'freeze', 'thaw', 'thaw', 'lose'),
  who: fc.nat({ max: 3 }),
  flag: fc.boolean(),
});

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  partitions: fc.integer({ min: 1, max: 5 }),
  offsetsMs: fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 4 }),
  faults: fc.array(fc.array(fault, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
});

/**
 * Calls that time out and take effect late: a lease that is given back lies between an older one's grant and its answer.
 */
const LATE_GRANT: Scenario = {
  partitions: 3,
  offsetsMs: [796_270, 293_483, 262_167, 242_553],
  faults: [
    [{ beforeMs: 12, afterMs: 10, kind: 'none' }],
    [
      { beforeMs: 526, afterMs: 14, kind: 'none' },
      { beforeMs: 103, afterMs: 2_859, kind: 'none' },
      { beforeMs: 2, afterMs: 9, kind: 'unheard' },
      { beforeMs: 3_335, afterMs: 17, kind: 'none' },
      { beforeMs: 9, afterMs: 20, kind: 'none' },
      { beforeMs: 11_097, afterMs: 2, kind: 'none' },
      { beforeMs: 4, afterMs: 5, kind: 'none' },
      { beforeMs: 814, afterMs: 7, kind: 'none' },
      { beforeMs: 2_038, afterMs: 9, kind: 'undone' },
    ],
    [
      { beforeMs: 18, afterMs: 63, kind: 'undone' },
      { beforeMs: 939, afterMs: 13, kind: 'none' },
      { beforeMs: 8, afterMs: 2_868, kind: 'undone' },
    ],
  ],
  steps: [
    { waitMs: 149, act: 'kill', who: 1, flag: true },
    { waitMs: 7, act: 'kill', who: 3, flag: true },
    { waitMs: 2_347, act: 'thaw', who: 1, flag: false },
    { waitMs: 16_336, act: 'start', who: 3, flag: true },
    { waitMs: 9_470, act: 'lose', who: 3, flag: true },
    { waitMs: 11_198, act: 'start', who: 0, flag: true },
  ],
};

/** Checks the invariants after each timer. */
class WatchedClock extends FakeClock {
  onRest: () => void = () => undefined;

  override async settle(): Promise<void> {
    await super.settle();
    this.onRest();
  }
}

class World {
  private readonly clock = new WatchedClock();
  private readonly table = new LeaseTable(this.clock, LEASE_MS);
  private readonly members: ModelMember[] = [];
  private readonly breaches: string[] = [];

  constructor(private readonly scenario: Scenario) {
    this.clock.onRest = () => {
      this.check();
    };
  }

  async run(): Promise<void> {
    this.start();
    for (const each of this.scenario.steps) {
      await this.clock.advance(each.waitMs);
      this.act(each);
      expect(this.breaches).toEqual([]);
    }
    await this.heal();
    expect(this.breaches).toEqual([]);
    this.checkRest();
    await this.end();
    expect(this.breaches).toEqual([]);
  }

  private get living(): ModelMember[] {
    return this.members.filter(({ isDead, isStopped }) => !isDead && !isStopped);
  }

  private get working(): ModelMember[] {
    return this.living.filter(({ isStopping }) => !isStopping);
  }

  private start(): void {
    const { offsetsMs, faults, partitions } = this.scenario;
    const number = this.members.length;
    const member = new ModelMember(
      `member ${String(number)}`,
      offsetsMs[number % offsetsMs.length] ?? 0,
      faults[number % faults.length] ?? [],
      { world: this.clock, table: this.table, breach: (what) => this.breach(what) },
    );
    this.members.push(member);
    member.ownership.start(partitions);
  }

  private breach(what: string): void {
    this.breaches.push(`${String(this.clock.nowMs())}: ${what}`);
  }

  private act({ act, who, flag }: Step): void {
    const { living } = this;
    if (act === 'start' && living.length < MOST_MEMBERS) this.start();
    const member = living[who % living.length];
    if (member === undefined) return;
    if (act === 'stop' && !member.clock.isFrozen) member.stop();
    if (act === 'kill') member.kill();
    if (act === 'freeze') member.clock.freeze();
    if (act === 'thaw') member.clock.thaw(flag);
    if (act === 'lose' && !member.clock.isFrozen)
      for (const [partition, epoch] of member.host.has) member.ownership.lose({ partition, epoch });
  }

  /** Checks that at most one member holds a partition, and at most one that is not frozen works on it. */
  private check(): void {
    for (let partition = 0; partition < this.scenario.partitions; partition += 1) {
      const holders = this.living.filter(({ ownership }) => ownership.holds(partition));
      if (holders.length > 1) this.breach(`${String(partition)} is held twice`);
      const awake = this.living.filter(({ clock }) => !clock.isFrozen);
      const workers = awake.filter(({ host }) => host.works(partition));
      if (workers.length > 1) this.breach(`${String(partition)} is worked on twice`);
    }
  }

  /** Ends all pending calls, and runs without faults for the time of two leases. */
  private async heal(): Promise<void> {
    for (const each of this.living) {
      each.clock.thaw(false);
      each.faults.heal();
    }
    if (this.working.length === 0) this.start();
    for (const each of this.living) each.faults.heal();
    await this.clock.advance(2 * LONGEST_DELAY_MS);
    await this.clock.advance(2 * LEASE_MS);
  }

  private checkRest(): void {
    const { partitions } = this.scenario;
    for (let partition = 0; partition < partitions; partition += 1) {
      const owners = this.working.filter(
        ({ ownership, host }) =>
          ownership.holds(partition) &&
          ownership.states().get(partition) === 'owned' &&
          host.has.has(partition),
      );
      if (owners.length !== 1)
        this.breach(`${String(partition)} has ${String(owners.length)} owners`);
    }
    const sizes = this.working.map(({ host }) => host.has.size);
    if (Math.max(...sizes) - Math.min(...sizes) > 1) this.breach(`shares are ${sizes.join(', ')}`);
    if (this.living.length > this.working.length) this.breach('does not come to a stop');
  }

  private async end(): Promise<void> {
    for (const each of this.working) each.stop();
    await this.clock.advance(1_000);
    if (this.living.length > 0) this.breach('does not come to a stop');
    const left = [...this.table.owners().values()].filter((owner) => owner !== null);
    if (left.length > 0) this.breach(`leases of ${left.join(', ')} were not released`);
  }
}

it(
  'never has two owners, and every partition soon has one',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, (each) => new World(each).run()),
      {
        numRuns: RUNS,
        examples: [[LATE_GRANT]],
        plugins: [fc.interruptAfterTimeLimit(LIMIT_MS, { failOnInterrupt: true })],
      },
    );
  },
  LIMIT_MS + 30_000,
);
