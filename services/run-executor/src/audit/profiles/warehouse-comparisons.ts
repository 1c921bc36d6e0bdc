import type { ConfigurationReplica, WarehouseState, WorkspaceId } from '@penstock/contracts';
import type { Differences } from '@penstock/platform';
import { WarehouseFault } from '@penstock/warehouses';
import { WholeRunError } from '../../engine/whole-run-error';
import type { RunWriters } from '../../workers/run-writers';
import { FoundProfiles, WarehouseComparison } from './compare-warehouse';
import type { ProfileFold } from './profile-fold';
import type { ProfilesTopic } from './profiles-topic';

/** Those that do not answer are waited for at the same time. */
const AT_ONCE = 8;
/** The longest time for one warehouse, whose server may send what it likes. */
const COMPARISON_MS = 900_000;
/** Bounds the list for an installation none of whose warehouses answers. */
const MAX_NAMED = 1_000;

/** Of one warehouse. */
type Outcome =
  | { readonly kind: 'compared' }
  /** Not to be read, or there no more. */
  | { readonly kind: 'closed'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

const MAINTENANCE: Outcome = { kind: 'closed', why: 'it is in mode Maintenance' };
const DELETED: Outcome = { kind: 'closed', why: 'its workspace was deleted' };

/** Without the words of the server, which may have values in them. */
const outcomeOf = (error: unknown): Outcome => {
  if (error instanceof WholeRunError) return { kind: 'failed', why: error.message };
  if (!(error instanceof WarehouseFault)) throw error;
  if (error.kind === 'fenced') return MAINTENANCE;
  const why = error.kind === 'unreachable' ? 'it does not answer' : `it is ${error.kind}`;
  return { kind: 'failed', why };
};

/** What is compared with what. */
export interface ComparisonsDependencies {
  readonly fold: ProfileFold;
  readonly topic: Pick<ProfilesTopic, 'readOn'>;
  readonly differences: Differences;
  readonly replica: Pick<
    ConfigurationReplica,
    'allWarehouses' | 'warehouse' | 'workspace' | 'resolution'
  >;
}

/** Compares the warehouses of all workspaces with the facts, several at a time. */
export class WarehouseComparisons {
  /** Workspaces whose facts were compared with each other. */
  readonly checked = new Set<string>();
  private readonly found = new FoundProfiles();
  private readonly notCompared: string[] = [];
  private compared = 0;
  private skipped = 0;
  private failed = 0;

  constructor(private readonly deps: ComparisonsDependencies) {}

  /** What was compared, for people. */
  get what(): string {
    const { compared, skipped } = this;
    return `${String(compared)} of ${String(compared + skipped)} warehouses compared`;
  }

  /** Which were not, and why. */
  get left(): readonly string[] {
    const more = this.skipped - this.notCompared.length;
    const others = more > 0 ? [`… and ${String(more)} more warehouses were not compared`] : [];
    return [...this.notCompared, ...others];
  }

  get isPartial(): boolean {
    return this.failed > 0;
  }

  async compareAll(readers: Pick<RunWriters, 'openReader'>): Promise<void> {
    const { replica } = this.deps;
    const waiting = [...replica.allWarehouses()].filter(
      ({ id }) => replica.workspace(id) !== undefined,
    );
    const work = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        this.note(next.id, await this.compareOne(next, readers));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  private async compareOne(
    { id, mode }: WarehouseState,
    readers: Pick<RunWriters, 'openReader'>,
  ): Promise<Outcome> {
    if (mode === 'Maintenance') return MAINTENANCE;
    const { fold, replica } = this.deps;
    // What is recorded after the moment that is compared is not to be taken.
    fold.hold(id);
    try {
      await this.compare(id, readers);
      return { kind: 'compared' };
    } catch (error) {
      fold.release(id);
      const outcome = outcomeOf(error);
      return replica.workspace(id) === undefined ? DELETED : outcome;
    }
  }

  private async compare(
    workspace: WorkspaceId,
    readers: Pick<RunWriters, 'openReader'>,
  ): Promise<void> {
    const { fold, topic, differences, replica } = this.deps;
    const exists = (id: string): boolean => replica.workspace(id) !== undefined;
    const control = new AbortController();
    const limit = AbortSignal.any([control.signal, AbortSignal.timeout(COMPARISON_MS)]);
    try {
      const reader = await readers.openReader(workspace, limit);
      await reader.resolved(async (state) => {
        const { live, waiting } = replica.resolution(workspace) ?? {};
        const isDue = live?.full === true || waiting?.full === true;
        const compared = { workspace, exists, isDue };
        const comparison = new WarehouseComparison(fold, topic, this.found, differences, compared);
        await comparison.compare(state, () => this.checked.add(workspace));
      }, limit);
    } finally {
      control.abort();
    }
  }

  private note(workspace: WorkspaceId, outcome: Outcome): void {
    if (outcome.kind === 'compared') {
      this.compared += 1;
      return;
    }
    this.skipped += 1;
    if (outcome.kind === 'failed') this.failed += 1;
    if (this.notCompared.length < MAX_NAMED)
      this.notCompared.push(`warehouse ${workspace} was not compared: ${outcome.why}`);
  }
}
