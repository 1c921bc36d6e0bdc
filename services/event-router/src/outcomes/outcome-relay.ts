import { outcomesKey, TOPIC, writeOutcomes } from '@penstock/contracts';
import type { MessageLog, NewMessage } from '@penstock/messaging';
import type { CommittedOutcomes, LeaseGrant, Relayed, RouterStore } from '../store/router-store';
import type { Clock } from '../time/clock';
import { within } from '../time/within';
import { endedDeliveries } from './ended-deliveries';
import { RouterFault } from '../faults/router-fault';

const POLL_MS = 1_000;
/** Between two turns while there is more: routing has priority. */
const MORE_MS = 100;
/** Longest pause after failures; each failure doubles it. */
const MAX_PAUSE_MS = 30_000;
/**
 * Limits of one turn. An outcome takes about 20 bytes in the store, and 10 to 150 on the log, by the size of requests.
 */
const LIMITS = { rows: 64, maxBytes: 128 * 1024 };
/** UTF-16 units that are appended with one call. */
const MAX_APPEND = 1_000_000;
const APPEND_TIMEOUT_MS = 5_000;
/** Longest time that `stop` waits for a turn under way. */
const STOP_MS = 5_000;

export interface OutcomeRelayDependencies {
  readonly clock: Clock;
  readonly store: Pick<RouterStore, 'unrelayed' | 'markRelayed'>;
  readonly log: Pick<MessageLog, 'append'>;
  /** The partitions that this process works on now. */
  readonly owned: () => readonly LeaseGrant[];
  /** Called with each failure; the turn is retried. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds between two queries of the store when everything was relayed; default: 1,000. */
  readonly pollMs?: number;
}

/**
 * Appends the outcomes of the owned partitions to the log, commit by commit, and marks them in the store as relayed
 * afterwards. It keeps no state between two turns, so a partition may be lost at any time: the next owner continues
 * from the mark. What was appended but not marked is appended again; readers recognise it by its partition and
 * sequence.
 */
export class OutcomeRelay {
  private isRunning = false;
  private turn: Promise<void> = Promise.resolve();
  private cancelTimer: () => void = () => undefined;
  private failures = 0;
  private failingFromMs: number | undefined;

  private readonly pollMs: number;

  constructor(private readonly deps: OutcomeRelayDependencies) {
    this.pollMs = deps.pollMs ?? POLL_MS;
  }

  /** Milliseconds for which turns have failed; 0: the last one succeeded. */
  get failingMs(): number {
    return this.failingFromMs === undefined ? 0 : this.deps.clock.nowMs() - this.failingFromMs;
  }

  start(): void {
    this.isRunning = true;
    this.schedule(this.pollMs);
  }

  /** Begins no further turn. Resolves when the turn under way has ended, or after `STOP_MS`. Never rejects. */
  async stop(): Promise<void> {
    this.isRunning = false;
    this.cancelTimer();
    const { clock, onError } = this.deps;
    await within(clock, STOP_MS, this.turn).catch(onError);
  }

  private schedule(pauseMs: number): void {
    this.cancelTimer = this.deps.clock.after(pauseMs, () => {
      this.turn = this.takeTurn();
    });
  }

  private async takeTurn(): Promise<void> {
    let pauseMs: number;
    try {
      pauseMs = (await this.relay()) ? this.pollMs : MORE_MS;
      this.failures = 0;
      this.failingFromMs = undefined;
    } catch (error) {
      this.failures += 1;
      this.failingFromMs ??= this.deps.clock.nowMs();
      pauseMs = Math.min(MAX_PAUSE_MS, POLL_MS * 2 ** Math.min(this.failures, 10));
      const partitions = this.deps.owned().map(({ partition }) => partition);
      this.deps.onError(
        new RouterFault(
          'outcomes of deliveries cannot be appended to the topic outcomes; they are kept in PostgreSQL; trying again',
          { partitions },
          error,
        ),
      );
    }
    if (this.isRunning) this.schedule(pauseMs);
  }

  /** Relays one batch. @returns whether nothing is left to relay. */
  private async relay(): Promise<boolean> {
    const { store } = this.deps;
    const owned = this.deps.owned();
    if (owned.length === 0) return true;
    const partitions = owned.map(({ partition }) => partition);
    const { commits, isAll } = await store.unrelayed(partitions, LIMITS);
    if (commits.length === 0) return true;
    await this.append(commits);
    const ends = new Map(commits.map((commit) => [commit.partition, commit]));
    await store.markRelayed(
      owned.flatMap((grant): Relayed[] => {
        const to = ends.get(grant.partition);
        return to === undefined ? [] : [{ ...grant, to }];
      }),
    );
    return isAll;
  }

  /** Appends the commits in batches, and yields to the event loop after each record, as records may be long. */
  private async append(commits: readonly CommittedOutcomes[]): Promise<void> {
    let messages: NewMessage[] = [];
    let length = 0;
    for (const commit of commits)
      for (const value of writeOutcomes(commit, endedDeliveries(commit.outcomes))) {
        if (length + value.length > MAX_APPEND) {
          await this.appendAtOnce(messages);
          messages = [];
          length = 0;
        }
        messages.push({ key: outcomesKey(commit.partition), value });
        length += value.length;
        await new Promise<void>((resolve) => {
          this.deps.clock.soon(resolve);
        });
      }
    await this.appendAtOnce(messages);
  }

  private async appendAtOnce(messages: readonly NewMessage[]): Promise<void> {
    await this.deps.log.append(TOPIC.outcomes, messages, { timeoutMs: APPEND_TIMEOUT_MS });
  }
}
