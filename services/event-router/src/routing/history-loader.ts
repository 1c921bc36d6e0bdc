import type { ConnectionId, HistorySource, PipelineId, RoutingReplica } from '@penstock/contracts';

/** Positions from `from`, which is included, to `to`, which is not, at which the state of an object is wanted. */
interface Wanted {
  readonly from: number;
  readonly to: number;
}

type Unknown = Wanted &
  (
    | { readonly kind: 'connection'; readonly id: ConnectionId }
    | { readonly kind: 'pipeline'; readonly id: PipelineId }
  );

interface Loading extends Wanted {
  readonly done: Promise<void>;
}

/** A position at which the routes of a source are wanted. */
export interface RoutesWanted {
  readonly source: ConnectionId;
  readonly position: number;
}

/** Objects that are asked for at a time. */
const MAX_LOADING = 8;
/**
 * First the sources, then the destinations that they turn out to have been linked to; what other readers load counts
 * too.
 */
const MAX_ROUNDS = 4;

/** What is to be learned does not fit into the memory for it, or the history has gaps. */
export class HistoryIncomplete extends Error {
  override readonly name = 'HistoryIncomplete';
}

const nameOf = ({ kind, id }: Unknown): string => `${kind} ${id}`;

/** Brings into the replica what it does not know of connections and pipelines as they once were. */
export class HistoryLoader {
  private readonly loading = new Map<string, Loading>();

  constructor(
    private readonly replica: RoutingReplica,
    private readonly source: HistorySource,
  ) {}

  /**
   * @throws HistoryIncomplete where there is no room for what all of them need: load one after the other.
   * @throws Error when something cannot be had now.
   */
  async load(wanted: readonly RoutesWanted[]): Promise<void> {
    for (let round = 1; ; round += 1) {
      const unknown = this.unknownOf(wanted);
      if (unknown.length === 0) return;
      if (round > MAX_ROUNDS)
        throw new HistoryIncomplete(
          `the history of ${unknown.map(nameOf).join(', ')} is incomplete`,
        );
      await this.askAll(unknown);
    }
  }

  /** Loads what is wanted, however much that is, and uses it before others may take its room. @throws Error as {@link load}. */
  async loadOne<T>(wanted: RoutesWanted, use: () => T): Promise<T> {
    const release = this.replica.holdLearned();
    try {
      await this.load([wanted]);
      return use();
    } finally {
      release();
    }
  }

  private unknownOf(wanted: readonly RoutesWanted[]): Unknown[] {
    const unknown = new Map<string, Unknown>();
    const note = (object: Pick<Unknown, 'kind' | 'id'>, position: number): void => {
      const fresh = { ...object, from: position, to: position + 1 } as Unknown;
      const { from, to } = unknown.get(nameOf(fresh)) ?? fresh;
      const range = { from: Math.min(from, fresh.from), to: Math.max(to, fresh.to) };
      unknown.set(nameOf(fresh), { ...fresh, ...range });
    };
    const look = (id: ConnectionId, position: number): void => {
      if (this.replica.connectionAt(id, position) === 'unknown')
        note({ kind: 'connection', id }, position);
    };
    for (const { source, position } of wanted) {
      const state = this.replica.connectionAt(source, position);
      look(source, position);
      if (typeof state !== 'object') continue;
      for (const link of state.links) look(link, position);
      for (const on of [source, ...state.links])
        for (const id of this.replica.unknownPipelinesOnAt(on, position))
          note({ kind: 'pipeline', id }, position);
    }
    return [...unknown.values()];
  }

  private async askAll(unknown: readonly Unknown[]): Promise<void> {
    const waiting = unknown.values();
    const askInTurn = async (): Promise<void> => {
      for (const each of waiting) await this.ask(each);
    };
    await Promise.all(Array.from({ length: MAX_LOADING }, askInTurn));
  }

  private ask(unknown: Unknown): Promise<void> {
    const name = nameOf(unknown);
    const { from, to } = unknown;
    const running = this.loading.get(name);
    if (running !== undefined && running.from <= from && to <= running.to) return running.done;
    const done = this.learn(unknown).finally(() => {
      if (this.loading.get(name)?.done === done) this.loading.delete(name);
    });
    this.loading.set(name, { from, to, done });
    return done;
  }

  private async learn(unknown: Unknown): Promise<void> {
    const { from, to } = unknown;
    const upTo = to - 1;
    if (unknown.kind === 'connection')
      this.replica.learn(
        unknown.id,
        await this.source.connectionStates(unknown.id, from, to),
        upTo,
      );
    else
      this.replica.learnPipeline(
        unknown.id,
        await this.source.pipelineStates(unknown.id, from, to),
        upTo,
      );
  }
}
