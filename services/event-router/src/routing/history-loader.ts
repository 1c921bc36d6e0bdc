import type { ConnectionId, RoutingReplica } from '@penstock/contracts';
import type { HistorySource } from './history-source';

/** Positions from `from`, which is included, to `to`, which is not, at which the state of a connection is wanted. */
interface Wanted {
  readonly from: number;
  readonly to: number;
}

interface Loading extends Wanted {
  readonly done: Promise<void>;
}

/** A position at which the routes of a source are wanted. */
export interface RoutesWanted {
  readonly source: ConnectionId;
  readonly position: number;
}

/** Connections that are asked for at a time. */
const MAX_LOADING = 8;
/** First the sources, then the destinations that they turn out to have been linked to; what other readers load counts too. */
const MAX_ROUNDS = 4;

/** Brings into the replica what it does not know of connections as they once were. */
export class HistoryLoader {
  private readonly loading = new Map<ConnectionId, Loading>();

  constructor(
    private readonly replica: RoutingReplica,
    private readonly source: HistorySource,
  ) {}

  /** @throws Error when something cannot be had now. */
  async load(wanted: readonly RoutesWanted[]): Promise<void> {
    for (let round = 1; ; round += 1) {
      const unknown = this.unknownOf(wanted);
      if (unknown.size === 0) return;
      if (round > MAX_ROUNDS)
        throw new Error(`what connections ${[...unknown.keys()].join(', ')} were is not known`);
      await this.askAll([...unknown]);
    }
  }

  private unknownOf(wanted: readonly RoutesWanted[]): Map<ConnectionId, Wanted> {
    const unknown = new Map<ConnectionId, Wanted>();
    const look = (id: ConnectionId, position: number): void => {
      if (this.replica.connectionAt(id, position) !== 'unknown') return;
      const { from = position, to = 0 } = unknown.get(id) ?? {};
      unknown.set(id, { from: Math.min(from, position), to: Math.max(to, position + 1) });
    };
    for (const { source, position } of wanted) {
      const state = this.replica.connectionAt(source, position);
      look(source, position);
      if (typeof state === 'object') for (const link of state.links) look(link, position);
    }
    return unknown;
  }

  private async askAll(unknown: (readonly [ConnectionId, Wanted])[]): Promise<void> {
    const waiting = unknown.values();
    const askInTurn = async (): Promise<void> => {
      for (const [id, wanted] of waiting) await this.ask(id, wanted);
    };
    await Promise.all(Array.from({ length: MAX_LOADING }, askInTurn));
  }

  private ask(id: ConnectionId, { from, to }: Wanted): Promise<void> {
    const running = this.loading.get(id);
    if (running !== undefined && running.from <= from && to <= running.to) return running.done;
    const done = this.learn(id, from, to).finally(() => {
      if (this.loading.get(id)?.done === done) this.loading.delete(id);
    });
    this.loading.set(id, { from, to, done });
    return done;
  }

  private async learn(id: ConnectionId, from: number, to: number): Promise<void> {
    this.replica.learn(id, await this.source.connectionStates(id, from, to), to - 1);
  }
}
