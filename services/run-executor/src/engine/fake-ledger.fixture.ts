import {
  type ConnectionId,
  type Microtime,
  type PipelineId,
  RUN_STEPS,
  type RunId,
  type RunStep,
  type StepCounts,
} from '@penstock/contracts';
import { LeaseLost } from './lease-lost';
import type { ExportLedger, ImportLedger, RunSoFar, SettledBatch } from './run-ledger';
import type { UserLedger } from './user-ledger';
import type { RunCompletion } from './run-performance';
import { sharedOut } from './shared-out';
import { INTERRUPTED } from './tally';

const ZEROS: StepCounts = [0, 0, 0, 0, 0, 0];

const sum = (one: StepCounts, other: StepCounts): StepCounts =>
  one.map((count, index) => count + (other[index] ?? 0));

/** Why records failed, as a store keeps it. */
interface FakeErrors {
  readonly step: RunStep;
  readonly code: string;
  readonly message: string;
  /** Without those that are known. */
  fresh: number;
  withoutId: number;
  earlier: number;
  again: number;
  known: number;
}

const begunAnew = ({ earlier, fresh, withoutId, ...group }: FakeErrors): FakeErrors => ({
  ...group,
  earlier: earlier + fresh - withoutId,
  ...{ fresh: 0, withoutId: 0, known: 0 },
});

/** What a store keeps of one run. */
export class FakeLedger {
  epoch = 0;
  sizes: number[] = [];
  /** How the run has ended; each end is recorded. */
  readonly ends: RunCompletion[] = [];
  /** How many identities it has removed, as noted meanwhile. */
  purged = 0;
  private groups: FakeErrors[] = [];
  private readonly keys = new Map<string, { readonly profile: string; readonly batch: number }>();
  private readonly values = new Map<
    string,
    { readonly profile: string | null; readonly batch: number }
  >();
  private sequence = 0;
  private state: RunSoFar;

  constructor(wanted: {
    readonly incremental: boolean | null;
    readonly startingCursor: Microtime | null;
  }) {
    this.state = {
      run: 'run1' as RunId,
      pipeline: 'pipeline1' as PipelineId,
      connection: 'connection1' as ConnectionId,
      startedAt: '2026-06-01T00:00:00.000000Z',
      ...wanted,
      position: { kind: 'start' },
      nextBatch: 1,
      readingFrom: 1,
      unsettled: [],
      passed: ZEROS,
      failed: ZEROS,
      duplicates: 0,
      withoutId: 0,
      placesWithoutId: [],
      cursor: null,
      warnings: [],
    };
  }

  /** Records whose reason is told, by step. */
  get explained(): StepCounts {
    return RUN_STEPS.map((step) =>
      this.groups.reduce(
        (total, group) => (group.step === step ? total + group.fresh + group.known : total),
        0,
      ),
    );
  }

  /** How many records failed for the reason of this code. */
  countOf(wanted: string): number {
    return this.groups.reduce(
      (total, { code, fresh, known }) => (code === wanted ? total + fresh + known : total),
      0,
    );
  }

  get now(): RunSoFar {
    return this.state;
  }

  /** The run for a new worker. */
  claim() {
    this.epoch += 1;
    if (this.epoch > 1) {
      const last = Math.max(this.sequence + 1, this.state.nextBatch);
      this.state = {
        ...this.state,
        nextBatch: last + 1,
        unsettled: [...this.state.unsettled, last],
      };
    }
    const { epoch } = this;
    const guarded = (work: () => void): Promise<void> =>
      new Promise((resolve, reject) => {
        if (epoch !== this.epoch) reject(new LeaseLost());
        else resolve(work());
      });
    const ledger: ImportLedger & ExportLedger & UserLedger = {
      settle: (batch) =>
        guarded(() => {
          this.settle(batch);
        }),
      restart: (_, readingFrom) =>
        guarded(() => {
          this.restart(readingFrom);
        }),
      takeKeys: async (batch, keys) => {
        await guarded(() => undefined);
        const owners = keys.map(({ key, profile }) => {
          const name = key.toString('hex');
          const owner = this.keys.get(name) ?? { profile, batch };
          this.keys.set(name, owner);
          return owner.profile;
        });
        return new Set(owners);
      },
      forgetUnsettledKeys: () =>
        guarded(() => {
          for (const [key, { batch }] of this.keys)
            if (batch > this.sequence) this.keys.delete(key);
        }),
      registerValues: async (values) => {
        await guarded(() => undefined);
        for (const { key, profile } of values) {
          const name = key.toString('hex');
          const owner = this.values.get(name) ?? { profile, batch: 0 };
          const isSame = owner.profile === profile;
          this.values.set(name, { ...owner, profile: isSame ? profile : null });
        }
        return values.map(({ key }) => {
          const owner = this.values.get(key.toString('hex'));
          return {
            profile: owner?.profile ?? null,
            mayBeCreated: (owner?.batch ?? 0) > this.sequence,
          };
        });
      },
      markCreated: (batch, keys) =>
        guarded(() => {
          for (const key of keys) {
            const name = key.toString('hex');
            const owner = this.values.get(name);
            if (owner !== undefined) this.values.set(name, { ...owner, batch });
          }
        }),
      purged: (count) =>
        guarded(() => {
          this.purged = Math.max(this.purged, count);
        }),
      check: () => guarded(() => undefined),
    };
    const end = (completion: RunCompletion): Promise<void> =>
      guarded(() => {
        this.ends.push(completion);
      });
    return { epoch, run: this.state, ledger, end };
  }

  private settle(batch: SettledBatch): void {
    if (batch.sequence <= this.sequence) return;
    this.sequence = batch.sequence;
    this.sizes.push((batch.passed[0] ?? 0) + (batch.failed[0] ?? 0) + batch.duplicates);
    this.explain(batch);
    const { state } = this;
    this.state = {
      ...state,
      position: batch.position,
      passed: sum(state.passed, batch.passed),
      failed: sum(state.failed, batch.failed),
      duplicates: state.duplicates + batch.duplicates,
      withoutId: state.withoutId + batch.withoutId,
      placesWithoutId: [
        ...state.placesWithoutId,
        ...batch.errors.flatMap(({ withoutId = 0, places = [] }) => (withoutId > 0 ? places : [])),
      ],
      cursor: batch.cursor,
      warnings: [...state.warnings, ...batch.warnings],
    };
  }

  private explain({ errors, recounted }: SettledBatch): void {
    for (const { count, again = 0, withoutId = 0, ...reason } of errors) {
      const group = this.group(reason);
      group.fresh += count - again;
      group.again += again;
      group.withoutId += withoutId;
    }
    for (const [index, step] of RUN_STEPS.entries()) {
      const groups = this.groups.filter((group) => group.step === step);
      const told = errors.reduce(
        (total, each) => (each.step === step ? total + (each.again ?? 0) : total),
        0,
      );
      const before = groups.reduce((total, { known }) => total + known, 0);
      const { known, left } = sharedOut(groups, before + told + (recounted[index] ?? 0));
      groups.forEach((group, at) => (group.known = known[at] ?? 0));
      if (left > 0) this.group({ ...INTERRUPTED, step }).fresh += left;
    }
  }

  private group({ step, code, message }: Pick<FakeErrors, 'step' | 'code' | 'message'>) {
    const found = this.groups.find(
      (each) => each.step === step && each.code === code && each.message === message,
    );
    if (found !== undefined) return found;
    const none = { fresh: 0, withoutId: 0, earlier: 0, again: 0, known: 0 };
    const group: FakeErrors = { step, code, message, ...none };
    this.groups.push(group);
    return group;
  }

  private restart(readingFrom: number): void {
    const isExport = this.state.incremental === null;
    this.groups = isExport ? [] : this.groups.map(begunAnew);
    this.state = {
      ...this.state,
      readingFrom,
      position: { kind: 'start' },
      passed: ZEROS,
      failed: ZEROS,
      duplicates: 0,
      withoutId: 0,
      placesWithoutId: [],
      cursor: null,
    };
  }
}
